#!/usr/bin/env python3
"""A referee of one seat: a bot reads the seed modulo 4, and its answer is its score. What is no number is no action, which
scores 9 all the same."""

import sys


def read():
    header = sys.stdin.readline() or sys.exit()
    return [sys.stdin.readline().rstrip("\n") for _ in range(int(header.strip("]\n").split("] ")[1]))]


def send(name, *lines):
    print(f"[[{name}] {len(lines)}]", *lines, sep="\n", flush=True)


while True:
    options = dict(line.split("=", 1) for line in (read() + read())[1:])
    send("ARENA", "protocol=1", "reuse=yes", "seats=1")
    send("NEXT_PLAYER_INPUT", int(options["seed"]) % 4)
    send("NEXT_PLAYER_INFO", 0, 1, 60000)
    score = (read() + read() + [""])[0]
    if not score.isdigit():
        send("FATE", f"0 invalid_action {score}")
        score = 9
    send("SCORES", f"0 {score}")
