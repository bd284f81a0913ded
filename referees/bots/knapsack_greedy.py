#!/usr/bin/env python3
"""Chooses the items of knapsack.py that are worth most by weight."""

items = [tuple(map(int, input().split())) for _ in range(int(input()))]
chosen, room = [], 100
for at in sorted(range(len(items)), key=lambda at: items[at][0] / items[at][1]):
    if items[at][0] <= room:
        chosen.append(at)
        room -= items[at][0]
print(*chosen, flush=True)
