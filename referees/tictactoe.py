#!/usr/bin/env python3
"""A referee for tic-tac-toe, with every block of docs/referees.md. tictactoe.rs is the same referee in Rust.

Seat 0 plays X, seat 1 plays O. The first moves (option `plies`: how many, 2 unless given) are drawn from the seed, so
that bots that never roll dice do not play one game again and again. A bot reads its letter, three rows of `X`, `O` and
`.`, the number of free cells and then these, a line each, as `ROW COLUMN` from 0. It answers one of them.
"""

import json
import sys

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def read():
    """One frame of the arena: its name and its lines. The arena ends a referee by closing its standard input."""
    header = sys.stdin.readline() or sys.exit()
    name, count = header.strip().lstrip("[").split("] ")
    return name, [sys.stdin.readline().rstrip("\n") for _ in range(int(count.rstrip("]")))]


def send(name, *lines):
    print(f"[[{name}] {len(lines)}]", *lines, sep="\n", flush=True)


def splitmix64(state):
    """Numbers from 0 to 2**64 - 1."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        mixed = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
        yield mixed ^ mixed >> 31


def free(board):
    return [cell for cell in range(9) if board[cell] == "."]


def rows(board):
    return ["".join(board[start : start + 3]) for start in (0, 3, 6)]


def show(board, line=()):
    """What viewers draw: the board, with a ring round each cell of a line."""
    legend = {"X": {"seat": 0, "text": "X"}, "O": {"seat": 1, "text": "O"}}
    rings = [{"x": cell % 3, "y": cell // 3, "shape": "ring", "colour": "green"} for cell in line]
    send("FRAME", json.dumps({"grid": rows(board), "legend": legend, "tokens": rings}))


def ask(board, seat, limit):
    """The answer of a seat, or None if there is none in time."""
    actions = [f"{cell // 3} {cell % 3}" for cell in free(board)]
    show(board)
    send("ACTIONS", *actions)
    send("NEXT_PLAYER_INPUT", "XO"[seat], *rows(board), len(actions), *actions)
    send("NEXT_PLAYER_INFO", seat, 1, limit)
    name, lines = read()
    read()  # GET_GAME_INFO: the arena waits for what comes next.
    return lines[0] if name == "SET_PLAYER_OUTPUT" else None


def play(options):
    """The winner, or None for a draw; and why the game ended."""
    board, seat, random = ["."] * 9, 0, splitmix64(int(options["seed"]) % 2**64)
    for ply in range(min(int(options.get("plies", 2)), 4)):  # After four, nobody can have won.
        board[free(board)[next(random) % len(free(board))]] = "XO"[seat]
        seat = 1 - seat
    limits = [1000, 1000]
    while free(board):
        answer = ask(board, seat, limits[seat])
        limits[seat] = 100
        if answer is None:
            return 1 - seat, "timeout"
        if answer not in [f"{cell // 3} {cell % 3}" for cell in free(board)]:
            send("FATE", f"{seat} invalid_action no free cell: {answer}")
            return 1 - seat, "invalid_action"
        row, column = map(int, answer.split())
        board[row * 3 + column] = "XO"[seat]
        for line in LINES:
            if all(board[cell] == "XO"[seat] for cell in line):
                show(board, line)
                return seat, "three_in_a_row"
        seat = 1 - seat
    show(board)
    return None, "board_full"


while True:
    _, (seats, *options) = read()  # INIT
    read()  # GET_GAME_INFO
    send("ARENA", "protocol=1", "reuse=yes", "seats=2", "name=Tic-tac-toe")
    if seats != "2":
        send("FAIL", f"tic-tac-toe has 2 seats, not {seats}")
        sys.exit(1)
    winner, reason = play(dict(option.split("=", 1) for option in options))
    # A win scores 2, a draw 1, a loss 0, and -1 if the loser failed.
    lost = -1 if reason in ("timeout", "invalid_action") else 0
    send("REASON", reason)
    send("SCORES", *(f"{seat} {1 if winner is None else 2 if seat == winner else lost}" for seat in (0, 1)))
