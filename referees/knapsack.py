#!/usr/bin/env python3
"""Scores a task: choose items for a bag that holds 100, worth as much as possible. One seat, one question."""
import random
import sys


def read():
    header = sys.stdin.readline() or sys.exit()
    return [sys.stdin.readline().rstrip("\n") for _ in range(int(header.strip("]\n").split("] ")[1]))]

def send(name, *lines):
    print(f"[[{name}] {len(lines)}]", *lines, sep="\n", flush=True)

while True:
    options = dict(line.split("=", 1) for line in (read() + read())[1:])  # INIT, without the seats; GET_GAME_INFO.
    draw = random.Random(int(options["seed"]))
    items = [(draw.randint(1, 40), draw.randint(1, 40)) for _ in range(30)]
    send("ARENA", "protocol=1", "reuse=yes", "seats=1")
    send("NEXT_PLAYER_INPUT", len(items), *(f"{weight} {worth}" for weight, worth in items))
    send("NEXT_PLAYER_INFO", 0, 1, 1000)  # Seat 0, one line, within 1000 ms.
    chosen = [items[int(word)] for word in set((read() + read() + [""])[0].split()) if word in map(str, range(len(items)))]
    if sum(weight for weight, _ in chosen) > 100 or not chosen:
        send("FATE", "0 invalid_action nothing, or too heavy")
    send("SCORES", f"0 {sum(worth for _, worth in chosen)}")
