#!/usr/bin/env bash
# Games per second with workers against the same on this machine without them, in turn; and 50 workers whose bots sleep.
#   tests/cluster.sh target/release/arena [ROUNDS]
# The program must be built with `--features workers`; nats-server and python3 must be there, and the machine quiet.
set -euo pipefail
arena=$(realpath "$1")
rounds=${2:-5}
folder=$(mktemp -d)
started=()
cleanup() {
    kill "${started[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"
url=nats://127.0.0.1:14333
nats-server -js -a 127.0.0.1 -p 14333 -sd "$folder/store" >/dev/null 2>&1 &
server=$!
started+=("$server")
export XDG_CACHE_HOME=$folder/cache
sleep 1

# Answers like the sample bot, after a pause in milliseconds.
cat >pause.py <<'PY'
import subprocess, sys, time
bot = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
import threading
def forward():
    for line in sys.stdin.buffer:
        bot.stdin.write(line); bot.stdin.flush()
threading.Thread(target=forward, daemon=True).start()
for line in bot.stdout:
    time.sleep(int(sys.argv[1]) / 1000)
    sys.stdout.buffer.write(line); sys.stdout.buffer.flush()
PY

workers() { # COUNT JOBS
    for number in $(seq "$1"); do
        "$arena" worker "$url" --jobs "$2" --name "w$number" --sandbox auto >/dev/null 2>&1 &
        started+=("$!")
        pids+=("$!")
    done
    sleep 2
}
drop() { kill "${pids[@]}" 2>/dev/null || true; wait "${pids[@]}" 2>/dev/null || true; pids=(); }
pids=()

speed() { # FLAGS..
    "$arena" duel onitama "$one" "$two" --games "$games" --seed 1 --out run --force --quiet --first-turn-ms 10000 --turn-ms 10000 "$@" >/dev/null 2>&1
    python3 -c 'import json; print(json.load(open("run/summary.json"))["run"]["games_per_second"])'
}

compare() { # NAME
    for round in $(seq "$rounds"); do
        local here there two_here
        here=$(speed --jobs 2)
        workers 1 2; there=$(speed --workers "$url"); drop
        workers 2 1; two_here=$(speed --workers "$url"); drop
        python3 -c 'import sys; n, a, b, c = sys.argv[1], *map(float, sys.argv[2:]); print(f"{n}: here {a:.1f} games/s, one worker of two jobs {b/a:.2f}, two of one {c/a:.2f}")' "$1" "$here" "$there" "$two_here"
    done
}

one="arena bot onitama-random" two="arena bot onitama-greedy" games=4000 compare "instant bots"
# A search that thinks so long on a core.
one="arena bot onitama-search --time-ms 20" two="arena bot onitama-search --time-ms 20 --blunder 20" games=100 compare "bots that think 20 ms"

one="python3 $folder/pause.py 100 $arena bot onitama-random" two="python3 $folder/pause.py 100 $arena bot onitama-greedy" games=400
workers 50 1
/usr/bin/env time -f "50 workers: the arena took %U s of user and %S s of system time for $games games, at most %M KB" \
    "$arena" duel onitama "$one" "$two" --games "$games" --seed 1 --out many --quiet --first-turn-ms 60000 --turn-ms 60000 --workers "$url" >/dev/null
drop
