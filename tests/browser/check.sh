#!/usr/bin/env bash
# Opens reports in a real browser and looks at everything in them: tests/browser/check.mjs says at what. Takes three minutes.
# Needs cargo, node 18 or newer with npm, and Chromium (Debian: apt-get install chromium nodejs npm). Installs nothing but
# what package-lock.json names, into tests/browser/node_modules. Screenshots go to target/browser.
#
#   GAMES=80 tests/browser/check.sh     games per pairing of the gauntlet, 400 if not given; from 80 on the page has games that cannot be watched
#   CHROMIUM=/path/to/chromium          another browser
set -euo pipefail
cd "$(dirname "$0")/../.."

source tests/browser/chromium.sh

out=target/browser
mkdir -p "$out"
target/debug/arena run configs/gauntlet.toml --games "${GAMES:-400}" --out "$out/gauntlet" --force --quiet >/dev/null
for run in harm sweep tune; do
    target/debug/arena run "tests/browser/$run.toml" --out "$out/$run" --force --quiet >/dev/null
done
target/debug/arena duel onitama "target/debug/onitama-search --depth 2" "target/debug/onitama-search --depth 1" --games 120 --opening-plies 4 --seed 1 \
    --out "$out/duel" --force --quiet >/dev/null
for run in tictactoe harvest; do
    target/debug/arena run "configs/$run.toml" --games 8 --out "$out/$run" --force --quiet >/dev/null
done
CHROMIUM=$chromium node tests/browser/check.mjs "$out"
