# The beginning of scripts that need a browser: builds the program, installs what package-lock.json names, and sets `chromium`.
missing=0
need() {
    echo "$0: $1" >&2
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

# As the tests are built, programs included, so that nothing is compiled again after these.
cargo test --locked --workspace --features workers --no-run --quiet
(cd tests/browser && npm ci --silent --no-audit --no-fund)
