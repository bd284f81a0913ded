#!/usr/bin/env bash
# Plays a big run and prints how much memory and how many descriptors arena used: both must stay flat.
# usage: tests/soak.sh [GAMES]    (default 10000)
set -euo pipefail
cd "$(dirname "$0")/.."
games=${1:-10000}
cargo build --release --quiet --workspace
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bots=""
for bot in minishogi-a minishogi-b dice-shogi-a dice-shogi-b; do
    program=target/release/${bot%-?}-random
    game=${bot%-?}
    bots+=$'\n[[bot]]\n'"name = \"$bot\"; command = \"$program\"; games = [\"${game/dice-/dice_}\"]"
done
{
    printf '[run]\nname = "soak"\ngame = ["minishogi", "dice_shogi"]\ngames = %d\n' $((games / 2))
    printf '%s\n' "${bots//; /$'\n'}"
} > "$folder/soak.toml"
target/release/arena run "$folder/soak.toml" --out "$folder/run" --quiet &
arena=$!
descriptors=0
while kill -0 $arena 2> /dev/null; do
    # The process that plays is the child of the one that was started.
    inner=$(pgrep -P $arena | head -1 || true)
    inner=${inner:-$arena}
    status=$(grep -E 'VmHWM|VmRSS' "/proc/$inner/status" 2> /dev/null | tr -s '\t ' ' ' | tr '\n' ' ' || true)
    [ -n "$status" ] && memory=$status
    now=$(find "/proc/$inner/fd" -mindepth 1 2> /dev/null | wc -l || true)
    [ "$now" -gt $descriptors ] && descriptors=$now
    sleep 0.2
done
wait $arena
echo "arena at the end: ${memory}; most descriptors at a time: $descriptors"
