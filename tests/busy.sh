#!/usr/bin/env bash
# Plays games of bots that answer at once, with a limit of 50 ms, on a machine that is busy with something else. Exits with 1 if
# any bot runs out of time.
# usage: tests/busy.sh [GAMES] [LOAD] [COMMAND]    (default: 100000 games beside 20 busy loops; the sample bot onitama-random)
# A bot in Python, made by `arena init`: tests/busy.sh 10000 20 python. The arena of $ARENA is used if it is set, with the sample bots
# beside it.
set -euo pipefail
cd "$(dirname "$0")/.."
games=${1:-100000} load=${2:-20} bot=${3:-}
[ -n "${ARENA:-}" ] || cargo build --release --quiet --workspace
arena=$(realpath "${ARENA:-${CARGO_TARGET_DIR:-target}/release/arena}")
folder=$(mktemp -d)
busy=()
trap 'kill "${busy[@]}" 2> /dev/null || true; rm -rf "$folder"' EXIT
case $bot in
    '') bot="${arena%/*}/onitama-random" ;;
    python)
        "$arena" init --game onitama --language python "$folder/starter" > /dev/null
        bot="python3 $(find "$folder/starter" -name '*.py' | head -1)" ;;
esac
{
    printf '[run]\nname = "busy"\ngame = "onitama"\ngames = %d\nseed = 1\n[clock]\nturn_ms = 50\n' "$games"
    printf '[[bot]]\nname = "%s"\ncommand = "%s"\n' a "$bot" b "$bot"
} > "$folder/busy.toml"
for _ in $(seq "$load"); do
    sh -c 'while kill -0 $PPID; do :; done' 2> /dev/null &
    busy+=($!)
done
"$arena" run "$folder/busy.toml" --out "$folder/run" --quiet > "$folder/said" || { cat "$folder/said"; exit 1; }
lost=$(grep -c timeout "$folder/run/games.csv" || true)
played=$(($(wc -l < "$folder/run/games.csv") - 1))
voided=$(grep -o '"games_voided": *[0-9]*' "$folder/run/summary.json" | grep -o '[0-9]*$' || true)
late=$(grep -c '"host_late":\[[0-9]' "$folder/run/records.jsonl" || true)
echo "$played games beside $load busy loops: $lost lost on time, ${voided:-0} played again, $late with an answer that came late and counted"
[ "$lost" -eq 0 ] && [ "$played" -eq "$games" ]
