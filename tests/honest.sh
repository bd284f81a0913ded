#!/usr/bin/env bash
# Honest bots lose nothing to the guards: in C++, Java, JavaScript and Python, with threads, garbage and child processes that they wait
# for, they play each other beside busy loops. No limit is near, so a bot that fails was blamed wrongly. Exits with 1 if one did.
# usage: tests/honest.sh [TURNS] [LOADS] [TIME]    (default: 100000 turns beside each of "1 4 20" busy loops, half of them without `pin`)
# After TIME, as in 10s, no game begins. Languages that aren't here are left out. The arena of $ARENA is used if it is set.
set -euo pipefail
cd "$(dirname "$0")/.."
turns=${1:-100000} loads=${2:-1 4 20} time=${3:-}
[ -n "${ARENA:-}" ] || cargo build --release --quiet
arena=$(realpath "${ARENA:-${CARGO_TARGET_DIR:-target}/release/arena}")
folder=$(mktemp -d)
busy=()
trap 'kill "${busy[@]}" 2> /dev/null || true; rm -rf "$folder"' EXIT
# Games of Dice Shogi have about 265 turns, those of MiniShogi about 30.
game=dice_shogi each=265 format=round-robin
[ "$turns" -ge 20000 ] || game=minishogi each=30 format=gauntlet
{
    printf '[run]\nname = "honest"\ngame = "%s"\nformat = "%s"\nseed = 1\nopening_plies = 0\n' $game $format
    printf '[clock]\nfirst_turn_ms = 60000\nturn_ms = 10000\n'
    while read -r program name bot; do
        [ -z "$(command -v "$program")" ] || printf '[[bot]]\nname = "%s"\ncommand = "tests/programs/honest/%s"\n' "$name" "$bot"
    done << 'BOTS'
g++ threads bot.cpp threads
javac java Bot.java
node node bot.js
python3 run bot.py run
python3 pipe bot.py pipe
g++ forks bot.cpp forks
g++ ponder bot.cpp ponder
BOTS
} > "$folder/honest.toml"
bots=$(grep -c '^command' "$folder/honest.toml")
pairings=$((bots - 1))
[ $format = gauntlet ] || pairings=$((bots * (bots - 1) / 2))
# Of each pairing, in each of the two runs of a load.
games=$((turns / each / pairings / 2 + 1))

# Prints what became of the games of some runs, and fails if any bot was blamed.
judged() {
    python3 - "$@" << 'PYTHON'
import csv, json, sys

rows = [row for run in sys.argv[2:] for row in csv.DictReader(open(f"{run}/games.csv"))]
summaries = [json.load(open(f"{run}/summary.json")) for run in sys.argv[2:]]
blamed = [cause for summary in summaries for cause in summary.get("fault_causes", [])]
again = sum(summary["run"]["games_voided"] for summary in summaries)
turns = sum(int(row["turns"]) for row in rows)
count = sum(cause["count"] for cause in blamed)
print(f"beside {sys.argv[1]} busy loops: {turns} turns, {len(rows)} games, {count} blamed, {again} played again")
for cause in blamed:
    print(f"    {cause['bot']}: {cause['count']} {cause['fate']}: {cause['cause']}")
sys.exit(bool(blamed) or not rows)
PYTHON
}

status=0
for load in $loads; do
    for _ in $(seq "$load"); do
        sh -c 'while kill -0 $PPID; do :; done' 2> /dev/null &
        busy+=($!)
    done
    for pin in true false; do
        # More games at a time get a larger part of the cores.
        options=(--out "$folder/$load-$pin" --games "$games" --jobs $(($(nproc) + load / 4)) --set run.pin=$pin --quiet)
        # 4: no bot is known to be stronger than another.
        "$arena" run "$folder/honest.toml" "${options[@]}" ${time:+--for "$time"} &> "$folder/said" || [ $? -eq 4 ] || { cat "$folder/said"; status=1; }
    done
    kill "${busy[@]}"
    busy=()
    judged "$load" "$folder/$load-true" "$folder/$load-false" || status=1
done
echo "took $SECONDS s"
exit $status
