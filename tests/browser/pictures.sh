#!/usr/bin/env bash
# Makes the picture of README.md anew: plays a league and photographs its report. Needs what tests/browser/check.sh
# needs.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/browser/chromium.sh

out=target/browser
mkdir -p "$out"
target/debug/arena run tests/browser/league.toml --out "$out/league" --force --quiet >/dev/null
CHROMIUM=$chromium node tests/browser/pictures.mjs "$out/league/report.html" docs/pictures/report.png
