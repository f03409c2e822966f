#!/usr/bin/env bash
# Coding agents, for the tests in which the real programs work through the gateway. Each weighs hundreds of megabytes,
# runs on few platforms and belongs to its vendor: too much for a dependency. What does not install is skipped, by name.
# Without arguments all of them; otherwise those that are named.
set -uo pipefail
cd "$(dirname "$0")/../.."

package_of() {
  case "$1" in
    codex) echo '@openai/codex@0.171.0' ;;
    claude-code) echo '@anthropic-ai/claude-code@2.1.332' ;;
    opencode) echo 'opencode-ai@1.18.33' ;;
    qwen-code) echo '@qwen-code/qwen-code@0.24.4' ;;
    continue) echo '@continuedev/cli@1.5.47' ;;
    cline) echo 'cline@3.0.65' ;;
    # No agent: the library whose retries are measured.
    langchain) echo '@langchain/openai@1.6.0 @langchain/core@1.4.0' ;;
    *) return 1 ;;
  esac
}

# Only what the programs need to be whole may run while they are installed.
ALLOWED='"@anthropic-ai/claude-code": true, "opencode-ai": true'
LONGEST_INSTALL_SECONDS=240

install_agent() {
  local name="$1" package target scratch
  package="$(package_of "$name")" || { echo "$name is none of the agents that can be installed." >&2; return 1; }
  target=".backstop/agents/$name"
  if [ "$(cat "$target/package" 2>/dev/null)" = "$package" ]; then
    echo "$package is in $target."
    return 0
  fi
  mkdir -p .backstop/agents
  scratch="$(mktemp -d "$PWD/.backstop/agents/install.XXXXXX")"
  printf '{ "private": true, "allowScripts": { %s } }\n' "$ALLOWED" >"$scratch/package.json"
  if timeout "$LONGEST_INSTALL_SECONDS" npm install --prefix "$scratch" --no-audit --no-fund $package \
    >"$scratch/install.log" 2>&1; then
    echo "$package" >"$scratch/package"
    rm -rf "$target"
    # One rename: whoever looks meanwhile sees all of it or nothing.
    mv "$scratch" "$target"
    echo "$package is in $target."
  else
    tail -n 5 "$scratch/install.log" >&2
    rm -rf "$scratch"
    echo "$package could not be installed: its tests will be skipped." >&2
  fi
}

[ $# -gt 0 ] || set -- codex claude-code opencode qwen-code continue cline langchain
for name in "$@"; do install_agent "$name" || exit 1; done
