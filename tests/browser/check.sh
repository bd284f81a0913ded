#!/usr/bin/env bash
# Opens reports in a real browser and looks at everything in them: tests/browser/check.mjs says at what. Takes a minute.
# Needs cargo, node 18 or newer with npm, and Chromium (Debian: apt-get install chromium nodejs npm). Installs nothing but
# what package-lock.json names, into tests/browser/node_modules. Screenshots go to target/browser.
#
#   GAMES=40 tests/browser/check.sh     games per pairing of the gauntlet, 400 if not given
#   CHROMIUM=/path/to/chromium          another browser
set -euo pipefail
cd "$(dirname "$0")/../.."

missing=0
need() {
    echo "tests/browser/check.sh: $1" >&2
    missing=1
}
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[[ -n $chromium ]] || need "no Chromium found; on Debian: apt-get install chromium; or name one in CHROMIUM"
command -v cargo >/dev/null || need "no cargo found; see https://rustup.rs"
if command -v node >/dev/null && command -v npm >/dev/null; then
    major=$(node -p 'process.versions.node.split(".")[0]')
    ((major >= 18)) || need "node $(node --version) is too old; version 18 or newer is needed"
else
    need "no node or no npm found; on Debian: apt-get install nodejs npm"
fi
((missing == 0)) || exit 1

cargo build --locked
(cd tests/browser && npm ci --silent --no-audit --no-fund)

out=target/browser
mkdir -p "$out"
target/debug/arena run configs/gauntlet.toml --games "${GAMES:-400}" --out "$out/gauntlet" --force --quiet >/dev/null
for run in harm sweep tune; do
    target/debug/arena run "tests/browser/$run.toml" --out "$out/$run" --force --quiet >/dev/null
done
for run in tictactoe harvest; do
    target/debug/arena run "configs/$run.toml" --games 8 --out "$out/$run" --force --quiet >/dev/null
done
CHROMIUM=$chromium node tests/browser/check.mjs "$out"
