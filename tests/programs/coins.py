#!/usr/bin/env python3
"""A referee of any number of seats: each bot reads the seed and its seat, three times, so that hardly two games take the same time. Its last answer
is its score. With the argument `coins` it answers who it is. Then its score is its luck on the seed, of 500 Elo, and a coin that depends on the
environment variable SALT. What is no number is no action."""

import hashlib
import math
import os
import statistics
import sys


def read():
    header = sys.stdin.readline() or sys.exit()
    return [sys.stdin.readline().rstrip("\n") for _ in range(int(header.strip("]\n").split("] ")[1]))]


def send(name, *lines):
    print(f"[[{name}] {len(lines)}]", *lines, sep="\n", flush=True)


def coin(*key):
    return (int(hashlib.sha256(repr(key).encode()).hexdigest()[:12], 16) + 0.5) / 16**12


def tossed(seed, seat, bots):
    """Bots whose luck is as many Elo apart win as often as ratings say."""
    luck = 500 * statistics.NormalDist().inv_cdf(coin(seed, bots[seat]))
    return round(1000 * (luck * math.log(10) / 400 - math.log(-math.log(coin(seed, seat, bots, os.environ.get("SALT"))))))


while True:
    init = read() + read()
    seats, options = int(init[0]), dict(line.split("=", 1) for line in init[1:])
    send("ARENA", "protocol=1", "reuse=yes", f"seats={seats}")
    answers = ["0"] * seats
    for _ in range(3):
        for seat in range(seats):
            if answers[seat].isdigit():
                send("NEXT_PLAYER_INPUT", int(options["seed"]) % 1000003, seat)
                send("NEXT_PLAYER_INFO", seat, 1, 60000)
                answers[seat] = (read() + read() + [""])[0]
    fates = [f"{seat} invalid_action {answer}" for seat, answer in enumerate(answers) if not answer.isdigit()]
    scores = [int(answer) if answer.isdigit() else 0 for answer in answers]
    if "coins" in sys.argv:
        scores = [tossed(options["seed"], seat, scores) for seat in range(seats)]
    if fates:
        send("FATE", *fates)
    send("SCORES", *(f"{seat} {score}" for seat, score in enumerate(scores)))
