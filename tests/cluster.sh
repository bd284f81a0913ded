#!/usr/bin/env bash
# Games per second with workers against the same on this machine without them, in turn; and what an arena with 50 workers takes,
# whose bots sleep. The two workers of one job have a core each, as the two jobs of a run do.
#   tests/cluster.sh target/release/arena [ROUNDS [GAMES [WORKERS]]]
# The program must be built with `--features workers`; nats-server, cc and python3 must be there, and the machine quiet. GAMES are
# those of a comparison of bots that answer at once.
set -euo pipefail
arena=$(realpath "$1")
rounds=${2:-5} many=${3:-4000} crowd=${4:-50}
folder=$(mktemp -d)
server=
pids=()
drop() {
    [ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || true
    [ ${#pids[@]} = 0 ] || wait "${pids[@]}" 2>/dev/null || true
    pids=()
}
cleanup() {
    drop
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"
export XDG_CACHE_HOME=$folder/cache
url=nats://127.0.0.1:14333
monitor=http://127.0.0.1:14334
nats-server -js -a 127.0.0.1 -p 14333 -m 14334 -sd "$folder/store" >/dev/null 2>&1 &
server=$!
sleep 1

# Answers with the first legal action, after a sleep.
cat >sleeper.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int me, count;
    char line[256], first[256];
    if (scanf("%d ", &me) != 1) return 0;
    for (;;) {
        for (int i = 0; i < 10; i++) if (!fgets(line, sizeof line, stdin)) return 0;
        if (scanf("%d ", &count) != 1) return 0;
        for (int i = 0; i < count; i++) if (!fgets(i == 0 ? first : line, sizeof line, stdin)) return 0;
        usleep(argc > 1 ? 1000 * atoi(argv[1]) : 0);
        fputs(first, stdout);
        fflush(stdout);
    }
}
C
cc -O2 -o sleeper sleeper.c

workers() { # COUNT JOBS [PREFIX..], in which # is the number of the worker, from 0
    local number prefix
    for number in $(seq "$1"); do
        prefix=("${@:3}")
        "${prefix[@]//#/$((number - 1))}" "$arena" worker "$url" --jobs "$2" --name "w$number" --sandbox auto >/dev/null 2>&1 &
        pids+=("$!")
    done
    # Wait until all workers are at the server.
    until python3 -c 'import json, sys, urllib.request as web
sys.exit(json.load(web.urlopen(sys.argv[1]))["num_connections"] < int(sys.argv[2]))' "$monitor/connz" "$1"; do sleep 0.1; done
}

play() { # FLAGS..
    "$arena" duel onitama "$one" "$two" --games "$games" --seed 1 --out run --force --quiet --set clock.first_turn_ms=60000 --set clock.turn_ms=60000 "$@" >/dev/null 2>log || [ -e run/summary.json ] || { cat log >&2; exit 1; }
}

rate() { # FLAGS..
    play "$@"
    python3 -c 'import json; print(json.load(open("run/summary.json"))["run"]["games_per_second"])'
}

compare() { # NAME
    local round here one_of_two two_of_one
    for round in $(seq "$rounds"); do
        here=$(rate --jobs 2)
        workers 1 2; one_of_two=$(rate --workers "$url"); drop
        workers 2 1 taskset -c "#"; two_of_one=$(rate --workers "$url"); drop
        python3 -c 'import sys; n, a, b, c = sys.argv[1], *map(float, sys.argv[2:])
print(f"{n}: here {a:.1f} games/s, one worker of two jobs {b / a:.3f} of that, two of one {c / a:.3f}", flush=True)' "$1" "$here" "$one_of_two" "$two_of_one"
    done
}

one="arena bot onitama-random" two="arena bot onitama-greedy" games=$many compare "bots that answer at once"
# A search that thinks so long on a core.
one="arena bot onitama-search --time-ms 20" two="arena bot onitama-search --time-ms 20 --blunder 20" games=$((many / 40)) compare "bots that think 20 ms"

one="$folder/sleeper 20" two="$folder/sleeper 20 again" games=$((20 * crowd))
workers "$crowd" 1
cat >measure.py <<'PY'
import json, resource, subprocess, sys, urllib.request
arena, url, monitor, one, two, games, crowd = sys.argv[1:]
messages = lambda: json.load(urllib.request.urlopen(monitor + "/varz"))["in_msgs"]
before = messages()
subprocess.run([arena, "duel", "onitama", one, two, "--games", games, "--seed", "1", "--out", "crowd", "--quiet",
                "--set", "clock.first_turn_ms=60000", "--set", "clock.turn_ms=60000", "--workers", url], stdout=subprocess.DEVNULL, check=True)
sent = messages() - before
used = resource.getrusage(resource.RUSAGE_CHILDREN)
run = json.load(open("crowd/summary.json"))["run"]
cpu = 1000 * (used.ru_utime + used.ru_stime) / int(games)
print(f"{crowd} workers: {run['games_per_second']:.1f} games/s; the arena took {cpu:.2f} ms of CPU a game and at most "
      f"{used.ru_maxrss / 1024:.0f} MB; {sent / int(games):.1f} messages a game")
PY
python3 measure.py "$arena" "$url" "$monitor" "$one" "$two" "$games" "$crowd"
drop
