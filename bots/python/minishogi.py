#!/usr/bin/env python3
"""A Mini Shogi bot to start one's own from.

It captures the most valuable piece it can, else promotes if it can, else plays any move. Everything the referee sends
is read into a Turn; the one function to change is `choose`.

Try it:  arena run configs/minishogi.toml
"""

import os
import random
import sys
from dataclasses import dataclass

VALUES = {"P": 1, "S": 4, "G": 4.5, "B": 5.5, "R": 6.5, "+P": 4, "+S": 4.5, "+B": 8.5, "+R": 9.5}


@dataclass
class Turn:
    """What the referee tells about one turn."""

    player: int  # 0: own pieces are upper case and move up; 1: lower case, down
    board: dict  # "53" (file 5, rank 3) -> "P", "+r", ...; empty squares are missing
    hands: list  # the captured pieces of player 0 and of player 1, such as ["PB", ""]
    last: str  # the opponent's last move, or "none"
    moves: list  # the moves to choose from: "5453", "4321+" promotes, "P*43" drops a pawn


def choose(turn, rng):
    """The move to play: one of turn.moves."""

    def gain(move):
        if "*" in move:
            return 0
        captured = turn.board.get(move[2:4])
        promotes = move.endswith("+")
        return (VALUES[captured.upper()] if captured else 0) + (0.5 if promotes else 0)

    best = max(map(gain, turn.moves))
    return rng.choice([move for move in turn.moves if gain(move) == best])


def read_board(read):
    """Five lines from rank 1 down, each from file 5 to file 1; a `+` belongs to the letter after it."""
    board = {}
    for rank in "12345":
        symbols = iter(read())
        for file in "54321":
            symbol = next(symbols)
            if symbol == "+":
                symbol += next(symbols)
            if symbol != ".":
                board[file + rank] = symbol
    return board


def read_turn(player, read):
    """Reads one turn; `read` gives the next line."""
    board = read_board(read)
    hands = [read().replace("-", "") for _ in range(2)]
    last = read()
    moves = [read() for _ in range(int(read()))]
    return Turn(player, board, hands, last, moves)


def main():
    """Plays one game."""
    rng = random.Random(int(os.environ.get("ARENA_SEED", "0")))

    def read():
        line = sys.stdin.readline()
        if not line:
            sys.exit()  # the end of the input is the end of the game
        return line.strip()

    player = int(read())
    read()  # the size of the board, always 5
    while True:
        # Flushed at once: the referee waits for the line.
        print(choose(read_turn(player, read), rng), flush=True)


if __name__ == "__main__":
    main()
