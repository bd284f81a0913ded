#!/usr/bin/env python3
"""Walks about the field of harvest.py by chance."""

import os
import random

random.seed(os.environ.get("ARENA_SEED"))
seat, seats, columns, rows, turns = map(int, input().split())
while True:
    places = [tuple(map(int, input().split()[:2])) for _ in range(seats)]
    crops = [input() for _ in range(int(input()))]
    x, y = places[seat]
    steps = {"N": y > 0, "E": x < columns - 1, "S": y < rows - 1, "W": x > 0}
    print(random.choice([step for step, is_legal in steps.items() if is_legal]), flush=True)
