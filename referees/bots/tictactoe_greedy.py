#!/usr/bin/env python3
"""Wins at tic-tac-toe where it can at once, else plays the first free cell."""

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

while True:
    letter = input()
    board = "".join(input() for _ in range(3))
    cells = [3 * int(action[0]) + int(action[2]) for action in (input() for _ in range(int(input())))]
    # The marks on each line.
    held = {line: [board[cell] for cell in line] for line in LINES}
    wins = [cell for cell in cells for line in LINES if cell in line and held[line].count(letter) == 2]
    cell = (wins or cells)[0]
    print(cell // 3, cell % 3, flush=True)
