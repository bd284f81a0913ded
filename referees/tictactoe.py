#!/usr/bin/env python3
"""A referee for tic-tac-toe, with every block of docs/how-to/referees.md. tictactoe.rs is the same referee in Rust.

Seat 0 plays X, seat 1 plays O. The first moves (option `plies`: how many, 2 unless given) are drawn from the seed, so
that bots that never roll dice do not play one game again and again. A bot reads its letter, three rows of `X`, `O` and
`.`, the number of free cells and then these, a line each, as `ROW COLUMN` from 0. It answers one of them.
"""

import json
import sys

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
LEGEND = {"X": {"seat": 0, "text": "X"}, "O": {"seat": 1, "text": "O"}}


def read():
    """The lines of one frame of the arena, which ends a referee by closing its standard input."""
    header = sys.stdin.readline() or sys.exit()
    return [sys.stdin.readline().rstrip("\n") for _ in range(int(header.strip("]\n").split("] ")[1]))]


def send(name, *lines):
    print(f"[[{name}] {len(lines)}]", *lines, sep="\n", flush=True)


def play(seed, plies):
    """The scores by seat, and why the game ended. A win scores 2, a draw 1, a loss 0, and -1 if the loser failed."""
    board = "." * 9
    for turn in range(10):
        seat, rows = turn % 2, [board[:3], board[3:6], board[6:]]
        actions = {f"{cell // 3} {cell % 3}": cell for cell in range(9) if board[cell] == "."}
        won = [line for line in LINES if all(board[cell] == "OX"[seat] for cell in line)]  # By the last move.
        rings = [{"x": cell % 3, "y": cell // 3, "shape": "ring", "colour": "green"} for cell in sum(won, ())]
        if turn >= plies:
            send("FRAME", json.dumps({"grid": rows, "legend": LEGEND, "tokens": rings}))
        if won:
            return {1 - seat: 2, seat: 0}, "three_in_a_row"
        if not actions:
            return {seat: 1, 1 - seat: 1}, "board_full"
        if turn < plies:
            answers, seed = [list(actions)[seed % len(actions)]], seed // len(actions)
        else:
            send("ACTIONS", *actions)
            send("NEXT_PLAYER_INPUT", "XO"[seat], *rows, len(actions), *actions)
            send("NEXT_PLAYER_INFO", seat, 1, 1000 if turn < plies + 2 else 100)
            answers = read() + read()  # What the seat answers, which is nothing if it timed out; GET_GAME_INFO.
        if not set(answers) & set(actions):
            send("FATE", *(f"{seat} invalid_action no free cell: {answer}" for answer in answers))
            return {1 - seat: 2, seat: -1}, "invalid_action" if answers else "timeout"
        cell = actions[answers[0]]
        board = board[:cell] + "XO"[seat] + board[cell + 1 :]


while True:
    options = dict(line.split("=", 1) for line in (read() + read())[1:])  # INIT, without the seats; GET_GAME_INFO.
    send("ARENA", "protocol=1", "reuse=yes", "seats=2", "name=Tic-tac-toe")
    scores, reason = play(int(options["seed"]), min(int(options.get("plies", 2)), 4))  # After four, nobody has won.
    send("REASON", reason)
    send("SCORES", *(f"{seat} {score}" for seat, score in scores.items()))
