#!/usr/bin/env python3
"""Plays any action of tic-tac-toe, by chance: the arena gives each bot a seed of its own in each unit of games."""

import os
import random

random.seed(os.environ.get("ARENA_SEED"))
while True:
    letter = input()
    rows = [input() for _ in range(3)]
    actions = [input() for _ in range(int(input()))]
    print(random.choice(actions), flush=True)
