#!/usr/bin/env bash
# Amazon's own DynamoDB Local, for the tests that compare the store with it. It comes out of an npm package that would
# bring hundreds of megabytes as a dependency; only its emulator is kept.
set -euo pipefail
cd "$(dirname "$0")/../.."

package='amplify-dynamodb-simulator@2.9.30'
target='.backstop/dynamodb-local'

if [ -f "$target/DynamoDBLocal.jar" ]; then
  echo "DynamoDB Local is in $target."
  exit 0
fi

if ! command -v java >/dev/null; then
  echo 'DynamoDB Local needs Java 17 or newer, and there is no java here: nothing was installed.' >&2
  exit 0
fi

mkdir -p .backstop
scratch="$(mktemp -d "$PWD/.backstop/install.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT

npm pack "$package" --silent --pack-destination "$scratch" >/dev/null
tar -xzf "$scratch"/*.tgz -C "$scratch" package/emulator
rm -rf "$target"
# One rename: whoever looks meanwhile sees all of it or nothing.
mv "$scratch/package/emulator" "$target"
echo "DynamoDB Local is in $target."
