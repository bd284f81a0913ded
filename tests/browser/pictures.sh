#!/usr/bin/env bash
# Makes the pictures of README.md and docs/ anew, in docs/pictures: plays a league and takes them of its report. Needs what
# tests/browser/check.sh needs.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/browser/chromium.sh

out=target/browser
pictures=docs/pictures
mkdir -p "$out"
target/debug/arena run tests/browser/league.toml --out "$out/league" --force --quiet >/dev/null
# Those that are text are files that arena writes.
target/debug/arena report "$out/league" --svg "$out/league-svg"
cp "$out/league-svg/onitama-course.svg" "$pictures/course.svg"
cp "$out/league-svg/onitama-lengths.svg" "$pictures/lengths.svg"
target/debug/arena replay "$out/league" 3 --turn 12 --svg "$pictures/board.svg"
COLUMNS=110 target/debug/arena --color always report "$out/league" >"$out/league.txt"
CHROMIUM=$chromium node tests/browser/pictures.mjs "$out" "$pictures"
ls -l "$pictures"
