"""An honest bot with child processes: with `run` it starts one in each turn and waits for it, beside a thread and garbage; with
`pipe` a child thinks that lives as long as the game."""

import gc
import multiprocessing
import subprocess
import sys
import threading


def answers():
    """An answer to each prompt of MiniShogi and Dice Shogi that makes a game last long: the piece that stays furthest back moves."""
    furthest_back = max if input() == "0" else min
    input()
    while sys.stdin.readline():
        for _ in range(6):
            input()
        # The roll of Dice Shogi, or the last action.
        if len(input()) == 1:
            input()
        actions = [input() for _ in range(int(input()))]
        yield furthest_back(actions, key=lambda action: action[3])


def compute(pieces):
    total = 0
    for piece in range(pieces):
        ring = [piece]
        ring.append(ring)
        total += len(ring)
    return total


def run():
    for answer in answers():
        thread = threading.Thread(target=compute, args=(3000,))
        thread.start()
        subprocess.run(["true"], check=True)
        compute(3000)
        gc.collect()
        thread.join()
        print(answer, flush=True)


def think(questions, found):
    while True:
        found.send(compute(questions.recv()))


def pipe():
    questions, ask = multiprocessing.Pipe(duplex=False)
    found, tell = multiprocessing.Pipe(duplex=False)
    multiprocessing.Process(target=think, args=(questions, tell), daemon=True).start()
    for answer in answers():
        ask.send(10_000)
        found.recv()
        print(answer, flush=True)


{"run": run, "pipe": pipe}[sys.argv[1]]()
