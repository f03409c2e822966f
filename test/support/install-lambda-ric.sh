#!/usr/bin/env bash
# Lambda's own runtime client for Node, for the tests that run the real bundles under it. Its native part is compiled
# here, which takes about a minute and wants a compiler: too much for a dependency that everybody installs.
set -euo pipefail
cd "$(dirname "$0")/../.."

version='4.0.2'
target='.backstop/lambda-ric'

if [ -f "$target/node_modules/aws-lambda-ric/rapid-client.node" ]; then
  echo "Lambda's runtime client is in $target."
  exit 0
fi

for tool in g++ make cmake python3; do
  if ! command -v "$tool" >/dev/null; then
    echo "Lambda's runtime client needs $tool, which is not here: nothing was installed." >&2
    exit 0
  fi
done

mkdir -p .backstop
scratch="$(mktemp -d "$PWD/.backstop/install.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT

cat >"$scratch/package.json" <<JSON
{
  "private": true,
  "dependencies": { "aws-lambda-ric": "$version" },
  "allowScripts": { "aws-lambda-ric": true }
}
JSON
# Output is kept for the case in which a compiler has something to say.
if ! npm install --prefix "$scratch" --no-audit --no-fund --foreground-scripts >"$scratch/install.log" 2>&1; then
  tail -n 40 "$scratch/install.log" >&2
  exit 1
fi
rm -rf "$target"
# One rename: whoever looks meanwhile sees all of it or nothing.
mv "$scratch" "$target"
trap - EXIT
echo "Lambda's runtime client is in $target."
