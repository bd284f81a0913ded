#!/usr/bin/env python3
"""Walks to the crop of harvest.py that gives most points per step, of those that nobody else is nearer to."""

seat, seats, columns, rows, turns = map(int, input().split())
while True:
    places = [tuple(map(int, input().split()[:2])) for _ in range(seats)]
    crops = [tuple(map(int, input().split())) for _ in range(int(input()))]
    x, y = places[seat]

    def worth(crop):
        way = [abs(px - crop[0]) + abs(py - crop[1]) for px, py in places]
        is_nearest = way.index(min(way)) == seat
        return (is_nearest, crop[2] / max(1, way[seat]))

    goal = max(crops, key=worth)
    dx, dy = goal[0] - x, goal[1] - y
    print("E" if dx > 0 else "W" if dx < 0 else "S" if dy > 0 else "N" if dy < 0 else "STAY", flush=True)
