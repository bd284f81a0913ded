# A first bot for Onitama. It rates every legal action by what it wins at once,
# less what the opponent can win in answer, and plays the best one.
from typing import NamedTuple

SIZE = 5
WIN, STUDENT = 1000, 10


class Card(NamedTuple):
    owner: int  # 0 or 1, -1 for the card in the centre
    id: int
    steps: list  # (dx, dy) on the board as it is printed, for its owner


class Position(NamedTuple):
    board: list  # [y][x]: y 0 is row 1, x 0 is column A; wW are player 0, bB player 1
    cards: list  # two of player 0, two of player 1, the centre


def owner(piece):
    """The player whose piece this is, or -1 for an empty cell."""
    if piece == ".":
        return -1
    return 0 if piece in "wW" else 1


def gain(board, x, y, to_x, to_y):
    """What a move wins at once."""
    piece, target = board[y][x], board[to_y][to_x]
    shrine = SIZE - 1 if owner(piece) == 0 else 0  # row of the opponent's shrine
    if target.isupper():
        return WIN
    if piece.isupper() and to_x == 2 and to_y == shrine:
        return WIN
    return 0 if target == "." else STUDENT


def best_gain(board, cards, player):
    """The most that a player can win with one move."""
    best = 0
    for y in range(SIZE):
        for x in range(SIZE):
            if owner(board[y][x]) != player:
                continue
            for card in cards:
                if card.owner != player:
                    continue
                for dx, dy in card.steps:
                    to_x, to_y = x + dx, y + dy
                    if to_x < 0 or to_x >= SIZE or to_y < 0 or to_y >= SIZE:
                        continue
                    if owner(board[to_y][to_x]) == player:
                        continue
                    best = max(best, gain(board, x, y, to_x, to_y))
    return best


def rate(position, action, me):
    move = action.split()[1]  # "8 C1D2": card 8, from C1 to D2
    if move == "PASS":
        return 0  # only when nothing can move
    x, y, to_x, to_y = "ABCDE".index(move[0]), int(move[1]) - 1, "ABCDE".index(move[2]), int(move[3]) - 1
    won = gain(position.board, x, y, to_x, to_y)
    if won == WIN:
        return WIN
    board = [line[:] for line in position.board]
    board[to_y][to_x] = board[y][x]
    board[y][x] = "."
    shrine = SIZE - 1 if me == 0 else 0
    distance = max(abs(to_x - 2), abs(to_y - shrine))
    return won - best_gain(board, position.cards, 1 - me) - distance


def choose(position, actions, me):
    # Your idea here: exchange the cards after an action, and look further ahead.
    return max(actions, key=lambda action: rate(position, action, me))


def read_position():
    board = [list(input()) for _ in range(SIZE)]  # such as "w.W.b", row 5 first
    board.reverse()
    cards = []
    for _ in range(5):
        # Owner, card, and four steps dx dy, filled up with 0 0.
        owner, id, *numbers = map(int, input().split())
        steps = [step for step in zip(numbers[::2], numbers[1::2]) if step != (0, 0)]
        cards.append(Card(owner, id, steps))
    return Position(board, cards)


def main():
    me = int(input())  # my player: 0 or 1
    while True:
        position = read_position()
        count = int(input())  # number of legal actions
        actions = [input() for _ in range(count)]

        print(choose(position, actions, me), flush=True)


try:
    main()
except EOFError:
    pass  # the game is over
