#!/usr/bin/env bash
# A big run of instant bots, 10,000 games by default: how much memory and how many descriptors arena has after every tenth of it, which must stay flat, and how
# long `report` and `--resume` take. With --synthetic the first 10,000 games are played, and the others are copies of them with new numbers
# and seeds: a million of these take two minutes instead of an hour, and 2 GB.
# usage: tests/soak.sh [--synthetic] [GAMES]; the arena of $ARENA is used if it is set
set -euo pipefail
cd "$(dirname "$0")/.."
synthetic=
if [ "${1:-}" = --synthetic ]; then
    synthetic=yes
    shift
fi
games=${1:-10000}
arena=${ARENA:-target/release/arena}
[ -n "${ARENA:-}" ] || cargo build --release --quiet
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Copies are of the shortest games.
played=(minishogi dice_shogi)
[ -z "$synthetic" ] || played=(onitama)
{
    printf '[run]\nname = "soak"\ngames = %d\nseed = 7\n' $((games / ${#played[@]}))
    printf 'game = [%s]\n' "$(printf '"%s",' "${played[@]}")"
    for game in "${played[@]}"; do
        for bot in a b; do
            printf '[[bot]]\nname = "%s-%s"\ncommand = "arena bot %s-random"\ngames = ["%s"]\n' "$game" $bot "${game/_/-}" "$game"
        done
    done
} > "$folder/soak.toml"
run=(run "$folder/soak.toml" --out "$folder/run" --quiet)

# Runs arena, and prints its memory after each tenth of the games.
watched() {
    "$arena" "$@" > "$folder/said" 2>&1 &
    local pid=$! inner= next=$((games / 10)) there=0 now
    descriptors=0
    while kill -0 "$pid" 2> /dev/null; do
        # The process that plays is the child of the one that was started.
        inner=$(pgrep -P "$pid" | head -1 || true)
        inner=${inner:-$pid}
        now=$(find "/proc/$inner/fd" -mindepth 1 2> /dev/null | wc -l || true)
        [ "$now" -le "$descriptors" ] || descriptors=$now
        # The number of the last game so far.
        there=$(tail -n 1 "$folder/run/games.csv" 2> /dev/null | cut -d, -f1 || true)
        if [[ $there =~ ^[0-9]+$ ]] && [ "$there" -ge "$next" ]; then
            echo "$there games: $(grep -E 'VmHWM|VmRSS' "/proc/$inner/status" 2> /dev/null | tr -s '\t ' ' ' | tr '\n' ' ' || true)"
            next=$((there + games / 10))
        fi
        sleep 0.2
    done
    wait "$pid" || true
}

# Seconds and memory of a command.
timed() {
    /usr/bin/env time -f "$1: %e s, %U s of CPU, %M kB" "$arena" "${@:2}" 2>&1 > /dev/null | tail -n 1
}

if [ -n "$synthetic" ]; then
    "$arena" "${run[@]}" --for 1s > /dev/null 2>&1 || true
    while [ "$(wc -l < "$folder/run/records.jsonl")" -lt 10000 ]; do
        "$arena" "${run[@]}" --resume --for 10s > /dev/null 2>&1 || true
    done
    python3 - "$folder/run/records.jsonl" "$games" << 'PYTHON'
import json, re, sys

path, games = sys.argv[1], int(sys.argv[2])
WORD = (1 << 64) - 1


def split_mix(seed, index):
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & WORD
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
    return z ^ z >> 31


def seed(unit):
    seed = split_mix(split_mix(7, 0), unit)
    seed -= (seed >> 63) << 64
    return str(seed) if abs(seed) < 1 << 53 else f'"{seed}"'


start = re.compile(r'\{"number":(\d+),"unit":(\d+),"game":"onitama","seed":("?-?\d+"?),')
with open(path) as file:
    lines = file.read().splitlines()
lines = lines[: len(lines) // 2 * 2]
played = [start.match(line) for line in lines]
assert all(found[3] == seed(int(found[2])) for found in played), "seeds are derived in another way"
rests = [line[found.end() :] for line, found in zip(lines, played)]
with open(path, "w") as file:
    for number in range(games):
        unit = number // 2
        file.write(f'{{"number":{number},"unit":{unit},"game":"onitama","seed":{seed(unit)},{rests[number % len(rests)]}\n')
PYTHON
else
    watched "${run[@]}"
    echo "most descriptors at a time: $descriptors"
fi
rm -f "$folder/run/summary.json"
[ -z "$synthetic" ] || timed "report of a run that lost its rows" report "$folder/run"
timed "report" report "$folder/run"
timed "--resume of a run that was killed at its end" "${run[@]}" --resume
timed "--resume of a finished run" "${run[@]}" --resume
