# A first bot for Code of Kutulu. It rates its own cell and the cells around it,
# flees from minions, keeps near the other explorers, and plans when it is calm.
from typing import NamedTuple

FAR = 999
SPAWNING, WANDERING, STALKING, RUSHING, STUNNED = range(5)  # the states of minions


class Explorer(NamedTuple):
    id: int
    cell: tuple  # (x, y), where y grows downwards
    sanity: int
    plans: int
    lights: int


class Minion(NamedTuple):
    kind: str  # WANDERER or SLASHER
    cell: tuple
    time: int  # turns until it appears, or that it has left
    state: int
    target: int  # id of an explorer, or -1


class Effect(NamedTuple):
    kind: str  # EFFECT_PLAN, EFFECT_LIGHT, EFFECT_YELL or EFFECT_SHELTER
    cell: tuple  # of a yell: -1 -1
    time: int  # turns left; of a shelter, its energy
    caster: int  # ids of explorers, or -1
    receiver: int


class Turn(NamedTuple):
    explorers: list  # I am the first
    minions: list
    effects: list


grid = []  # '#' wall, 'w' spawn of wanderers, 'U' shelter, '.' floor


def is_floor(cell):
    x, y = cell
    return 0 <= y < len(grid) and 0 <= x < len(grid[y]) and grid[y][x] != "#"


def neighbours(cell):
    x, y = cell
    return list(filter(is_floor, [(x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)]))


def walk(start):
    """Steps from a cell to every other one; a cell without a way is missing."""
    steps = {start: 0}
    todo = [start]
    for cell in todo:
        for other in neighbours(cell):
            if other not in steps:
                steps[other] = steps[cell] + 1
                todo.append(other)
    return steps


def manhattan(a, b):
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def rate(turn, cell):
    steps = walk(cell)
    score = len(neighbours(cell))  # no dead ends
    for minion in turn.minions:
        distance = steps.get(minion.cell, FAR)
        wait = minion.time if minion.state == SPAWNING else 0
        if minion.kind == "WANDERER":
            score -= max(0, 6 - distance - wait) ** 2
        elif minion.state != STUNNED and wait <= 2:
            # A slasher rushes at those it sees: in a line, with no wall between.
            in_line = minion.cell[0] == cell[0] or minion.cell[1] == cell[1]
            if in_line and distance == manhattan(minion.cell, cell):
                score -= 15
    # Sanity goes slower within two cells of another explorer.
    others = [other.cell for other in turn.explorers[1:]]
    company = min((manhattan(cell, other) for other in others), default=FAR)
    way = min((steps.get(other, FAR) for other in others), default=FAR)
    if company > 2 and way < FAR:
        score -= 5 + way
    for effect in turn.effects:
        if effect.kind == "EFFECT_SHELTER":
            score += max(0, 5 - steps.get(effect.cell, FAR))
    return score


def choose(turn):
    me = turn.explorers[0]
    busy, calm = False, True
    for effect in turn.effects:
        if effect.kind == "EFFECT_YELL" and effect.receiver == me.id:
            return "WAIT"  # I cannot move
        if effect.caster == me.id:
            busy = True
    for minion in turn.minions:
        if minion.state != SPAWNING and manhattan(minion.cell, me.cell) <= 3:
            calm = False
    if me.plans > 0 and me.sanity < 200 and not busy and calm:
        return "PLAN"

    # Your idea here: LIGHT leads minions elsewhere, YELL holds an explorer beside me for two turns.
    best = max([me.cell] + neighbours(me.cell), key=lambda cell: rate(turn, cell))
    return "WAIT" if best == me.cell else f"MOVE {best[0]} {best[1]}"


def read_turn():
    turn = Turn([], [], [])
    count = int(input())  # number of entities
    for _ in range(count):
        kind, *numbers = input().split()
        id, x, y, a, b, c = map(int, numbers)
        if kind == "EXPLORER":
            turn.explorers.append(Explorer(id, (x, y), a, b, c))
        elif kind in ("WANDERER", "SLASHER"):
            turn.minions.append(Minion(kind, (x, y), a, b, c))
        else:
            turn.effects.append(Effect(kind, (x, y), a, b, c))
    return turn


def main():
    input()  # width of the map
    height = int(input())  # height of the map
    for _ in range(height):
        grid.append(input())
    # Sanity lost per turn alone and in company, turns until a wanderer appears and that it walks.
    loss_alone, loss_in_company, spawn_time, life_time = map(int, input().split())
    while True:
        print(choose(read_turn()), flush=True)


try:
    main()
except EOFError:
    pass  # the game is over
