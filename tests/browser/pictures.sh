#!/usr/bin/env bash
# Makes the pictures of README.md anew, in docs/pictures: plays a league and photographs its report. Needs what
# tests/browser/check.sh needs.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/browser/chromium.sh

out=target/browser
pictures=docs/pictures
mkdir -p "$out"
target/debug/arena run tests/browser/league.toml --out "$out/league" --force --quiet >/dev/null
COLUMNS=110 target/debug/arena --color always report "$out/league" >"$out/league.txt"
CHROMIUM=$chromium node tests/browser/pictures.mjs "$out" "$pictures"
ls -l "$pictures"
