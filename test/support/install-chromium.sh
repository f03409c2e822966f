#!/usr/bin/env bash
# The browser in which the live page is tested: Debian's, where this machine has none and may install one. Without it
# those tests are skipped, by name.
set -euo pipefail

if command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; then
  echo 'A browser for the tests of the live page is installed.'
  exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo 'The tests of the live page need Chromium, which is not here: nothing was installed.' >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
if ! { apt-get update && apt-get install --yes --no-install-recommends chromium fonts-dejavu-core; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo 'Chromium could not be installed: the tests of the live page will be skipped.' >&2
  exit 0
fi
echo 'Chromium is installed for the tests of the live page.'
