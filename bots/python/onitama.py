#!/usr/bin/env python3
"""An Onitama bot to start one's own from.

It wins if it can, else captures a student if it can, and prefers squares where it cannot be captured. Everything the
referee sends is read into a Turn; the one function to change is `choose`.

Try it:  arena run configs/onitama.toml
"""

import os
import random
import sys
from dataclasses import dataclass

SHRINES = ["C1", "C5"]


@dataclass
class Turn:
    """What the referee tells about one turn."""

    player: int  # 0: pieces w and W (the master), starts in row 1; 1: b and B, starts in row 5
    board: dict  # "C1" (column C, row 1) -> "W", "b", ...; empty squares are missing
    hands: list  # the cards of player 0 and of player 1: card number -> steps (columns right, rows up) of that player
    centre: dict  # the card that one gets for the one played, with one's own steps
    actions: list  # the actions to choose from: "8 C1D2" moves by card 8, "8 PASS" only gives it away


def choose(turn, rng):
    """The action to play: one of turn.actions."""
    threatened = reached(turn, 1 - turn.player)

    def gain(action):
        move = action.split()[1]
        if move == "PASS":
            return 0
        source, target = move[:2], move[2:]
        is_master = turn.board[source] in "WB"
        captured = turn.board.get(target, "")
        if captured in ("W", "B") or (is_master and target == SHRINES[1 - turn.player]):
            return 100
        risk = (50 if is_master else 1) if target in threatened else 0
        return (2 if captured else 0) - risk

    best = max(map(gain, turn.actions))
    return rng.choice([action for action in turn.actions if gain(action) == best])


def reached(turn, player):
    """The squares that a player's pieces get to with the cards in hand, whatever stands there."""
    squares = set()
    for square, piece in turn.board.items():
        if piece in ("wW", "bB")[player]:
            for steps in turn.hands[player].values():
                squares.update(chr(ord(square[0]) + dx) + str(int(square[1]) + dy) for dx, dy in steps)
    return squares


def read_board(read):
    """Five lines from row 5 down, each from column A to E."""
    board = {}
    for row in "54321":
        for column, piece in zip("ABCDE", read()):
            if piece != ".":
                board[column + row] = piece
    return board


def read_cards(read):
    """Five lines: the owner or -1, the card, and up to four steps, filled up with zeros."""
    cards = [{}, {}, {}]
    for _ in range(5):
        owner, card, *numbers = map(int, read().split())
        cards[owner][card] = [step for step in zip(numbers[::2], numbers[1::2]) if step != (0, 0)]
    return cards[:2], cards[-1]


def read_turn(player, read):
    """Reads one turn; `read` gives the next line."""
    board = read_board(read)
    hands, centre = read_cards(read)
    actions = [read() for _ in range(int(read()))]
    return Turn(player, board, hands, centre, actions)


def main():
    """Plays one game."""
    rng = random.Random(int(os.environ.get("ARENA_SEED", "0")))

    def read():
        line = sys.stdin.readline()
        if not line:
            sys.exit()  # the end of the input is the end of the game
        return line.strip()

    player = int(read())  # told on the first turn only
    while True:
        # Flushed at once: the referee waits for the line.
        print(choose(read_turn(player, read), rng), flush=True)


if __name__ == "__main__":
    main()
