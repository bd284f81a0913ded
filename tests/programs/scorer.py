#!/usr/bin/env python3
"""A referee of any number of seats: each bot reads the seed modulo the option `modulo`, or 4, and its answer is its score.
What is no number is no action, which scores 9 all the same."""

import sys


def read():
    header = sys.stdin.readline() or sys.exit()
    return [sys.stdin.readline().rstrip("\n") for _ in range(int(header.strip("]\n").split("] ")[1]))]


def send(name, *lines):
    print(f"[[{name}] {len(lines)}]", *lines, sep="\n", flush=True)


while True:
    start = read() + read()
    seats, options = range(int(start[0])), dict(line.split("=", 1) for line in start[1:])
    scores = []
    for seat in seats:
        if seat == 0:
            send("ARENA", "protocol=1", "reuse=yes", "seats=1-4")
        send("NEXT_PLAYER_INPUT", int(options["seed"]) % int(options.get("modulo", 4)))
        send("NEXT_PLAYER_INFO", seat, 1, 60000)
        answer = (read() + [""])[0]
        read()
        scores.append(int(answer) if answer.isdigit() else 9)
        if not answer.isdigit():
            send("FATE", f"{seat} invalid_action {answer}")
    send("SCORES", *(f"{seat} {score}" for seat, score in zip(seats, scores)))
