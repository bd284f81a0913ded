#!/usr/bin/env bash
# What a page costs that watches a run: games/s with `--watch` and a reader of its events, in turns with runs without it.
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

# Games per second of a run, in which a page follows its events if it is told where.
play() {
    "$arena" run arena.toml --out "$1" --force --quiet "${@:2}" 2>"$1.log" >/dev/null &
    local run=$!
    if (($# > 1)); then
        until grep -q '^watch: ' "$1.log"; do sleep 0.05; done
        address=$(sed -n 's/^watch: //p' "$1.log")
        curl --silent --no-buffer --retry 5 --retry-all-errors "${address}events?from=0" >/dev/null &
    fi
    wait "$run"
    sed -n 's/.*"games_per_second": \([0-9.]*\).*/\1/p' "$1/summary.json"
}

without=()
with=()
for ((round = 0; round < rounds; round++)); do
    without+=("$(play without)")
    with+=("$(play with --watch)")
    echo "round $((round + 1)): ${without[-1]} games/s without, ${with[-1]} with --watch"
done
median() { printf '%s\n' "$@" | sort -g | sed -n "$((($# + 1) / 2))p"; }
awk -v without="$(median "${without[@]}")" -v with="$(median "${with[@]}")" \
    'BEGIN { printf "medians: %.1f and %.1f games/s, --watch costs %.2f%%\n", without, with, 100 * (1 - with / without) }'
