# A first bot for Mini Shogi. It rates every legal action by what it wins at once,
# less what the opponent can take in answer, and plays the best one.
from typing import NamedTuple

SIZE = 5
VALUES = {"P": 10, "S": 30, "G": 40, "B": 50, "R": 60, "K": 0}


class Piece(NamedTuple):
    kind: str  # K, G, S, B, R or P
    promoted: bool
    owner: int  # 0 moves up the board, 1 moves down


class Position(NamedTuple):
    board: list  # [row][col], None is an empty cell; row 0 is rank 1, col 0 is file 5
    hands: list  # the pieces each player can drop, such as ["P", "B"]


def value(piece):
    return VALUES[piece.kind] + (20 if piece.promoted else 0)


def apply(position, action, player):
    """The position after an action: "5453" moves, "4321+" moves and promotes, "P*43" drops."""
    board = [line[:] for line in position.board]
    hands = [hand[:] for hand in position.hands]
    row, col = int(action[3]) - 1, 5 - int(action[2])
    if action[1] == "*":
        kind = action[0].upper()
        hands[player].remove(kind)
        board[row][col] = Piece(kind, False, player)
    else:
        from_row, from_col = int(action[1]) - 1, 5 - int(action[0])
        piece = board[from_row][from_col]
        if board[row][col]:
            hands[player].append(board[row][col].kind)
        board[row][col] = Piece(piece.kind, piece.promoted or action.endswith("+"), player)
        board[from_row][from_col] = None
    return Position(board, hands)


def reaches(board, row, col, to_row, to_col):
    """Can the piece on one cell go to the other, whatever stands there?"""
    piece = board[row][col]
    rows, cols = to_row - row, to_col - col
    forward = -rows if piece.owner == 0 else rows
    distance = max(abs(rows), abs(cols))
    straight, diagonal = rows == 0 or cols == 0, abs(rows) == abs(cols)
    if distance == 0:
        return False
    if piece.kind in "BR":
        if distance == 1 and piece.promoted:
            return True
        if not (diagonal if piece.kind == "B" else straight):
            return False
        for i in range(1, distance):
            if board[row + rows // distance * i][col + cols // distance * i]:
                return False
        return True
    if distance > 1:
        return False
    if piece.kind == "K":
        return True
    if piece.kind == "G" or piece.promoted:
        return forward >= 0 or cols == 0
    if piece.kind == "S":
        return forward == 1 or diagonal
    return forward == 1 and cols == 0


def rate(position, action, me):
    """How much an action wins at once, and how much it leaves to the opponent."""
    board = apply(position, action, me).board
    row, col = int(action[3]) - 1, 5 - int(action[2])
    piece, captured = board[row][col], position.board[row][col]
    score = value(captured) if captured else 0
    if action.endswith("+"):
        score += 20
    if piece.kind == "K":
        score -= 5  # the king stays at home

    attacked = False
    for r in range(SIZE):
        for c in range(SIZE):
            other = board[r][c]
            if not other or other.owner == me:
                continue
            if reaches(board, r, c, row, col):
                attacked = True
            if other.kind == "K":
                score -= max(abs(row - r), abs(col - c))
    return score - value(piece) if attacked else score


def choose(position, actions, me):
    # Your idea here: a better rating, or a look at the answers of the opponent.
    return max(actions, key=lambda action: rate(position, action, me))


def read_position():
    board = []
    for _ in range(SIZE):
        cells = []
        promoted = False
        for letter in input():  # such as "r.+sgk": upper case is player 0, '+' is promoted
            if letter == "+":
                promoted = True
                continue
            owner = 0 if letter.isupper() else 1
            cells.append(None if letter == "." else Piece(letter.upper(), promoted, owner))
            promoted = False
        board.append(cells)
    hands = []
    for _ in range(2):
        hands.append(list(input().upper().replace("-", "")))  # such as "PB", or "-" if empty
    return Position(board, hands)


def main():
    me = int(input())  # my player: 0 or 1
    input()  # size of the board: always 5
    while True:
        position = read_position()
        last_action = input()  # what the opponent just played, or "none"
        count = int(input())  # number of legal actions
        actions = [input() for _ in range(count)]

        print(choose(position, actions, me), flush=True)


try:
    main()
except EOFError:
    pass  # the game is over
