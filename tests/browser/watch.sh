#!/usr/bin/env bash
# The cost of a page that watches a run: games/s with `--watch` and a reader of its events, in turns with runs without it; and, because
# games/s of a busy machine differ by more than that, the share of the page in the CPU time of the run, its bots included.
#
#   tests/browser/watch.sh target/release/arena [ROUNDS]
set -euo pipefail
arena=$(realpath "$1")
rounds=${2:-5}
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT

cat >arena.toml <<END
[run]
name = "watched"
game = "onitama"
format = "round-robin"
games = 4000
seed = 1

[[bot]]
name = "greedy"
command = ["$arena", "bot", "onitama-greedy"]

[[bot]]
name = "random"
command = ["$arena", "bot", "onitama-random"]
END

# Ticks of CPU that processes and their children have had.
ticks() { cat "${@/%//stat}" 2>/dev/null | sed 's/.*) //' | awk '{ sum += $12 + $13 + $14 + $15 } END { print sum + 0 }'; }

# Percent of the CPU time of a run that its page takes, until it ends.
share() {
    local children page last=none
    while kill -0 "$1" 2>/dev/null; do
        children=($(pgrep -P "$1" | sed 's#^#/proc/#'))
        page=$(grep --files-with-matches --null-data --line-regexp --no-messages watch "${children[@]/%//cmdline}" </dev/null || true)
        [ -z "$page" ] || ((${#children[@]} < 2)) || last="$(ticks "${page%/cmdline}") $(ticks "${children[@]}")"
        sleep 0.2
    done
    echo "$last" | awk '{ printf "%.2f", 100 * $1 / $2 }' >share
}

# Games per second of a run. With --watch, a reader follows its events.
play() {
    rm -f "$1.log"
    "$arena" run arena.toml --out "$1" --force --quiet "${@:2}" 2>"$1.log" >/dev/null &
    local run=$!
    if (($# > 1)); then
        until grep -qs '^watch: ' "$1.log"; do sleep 0.05; done
        address=$(sed -n 's/^watch: //p' "$1.log")
        curl --silent --no-buffer --retry 5 --retry-all-errors "${address}events" >/dev/null &
        share "$run"
    fi
    wait "$run"
    sed -n 's/.*"games_per_second": \([0-9.]*\).*/\1/p' "$1/summary.json"
}

without=()
with=()
shares=()
for ((round = 0; round < rounds; round++)); do
    without+=("$(play without)")
    with+=("$(play with --watch)")
    shares+=("$(<share)")
    echo "round $((round + 1)): ${without[-1]} games/s without, ${with[-1]} with --watch, whose page takes ${shares[-1]}% of the CPU time"
done
median() { printf '%s\n' "$@" | sort -g | sed -n "$((($# + 1) / 2))p"; }
awk -v without="$(median "${without[@]}")" -v with="$(median "${with[@]}")" -v share="$(median "${shares[@]}")" \
    'BEGIN { printf "medians: %.1f and %.1f games/s (%.2f%% less), %.2f%% of the CPU time\n", without, with, 100 * (1 - with / without), share }'
