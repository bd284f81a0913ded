# A first bot for Code of Kutulu. It rates its own cell and the cells around it,
# flees from minions, keeps near the other explorers, and plans when it is calm.
import sys

FAR = 999
SPAWNING, WANDERING, STALKING, RUSHING, STUNNED = range(5)  # the states of minions


class Explorer:
    def __init__(self, id, cell, sanity, plans, lights):
        self.id = id
        self.cell = cell  # (x, y), where y grows downwards
        self.sanity = sanity
        self.plans = plans
        self.lights = lights


class Minion:
    def __init__(self, type, cell, time, state, target):
        self.type = type  # WANDERER or SLASHER
        self.cell = cell
        self.time = time  # turns until it appears, or that it has left
        self.state = state
        self.target = target  # id of an explorer, or -1


class Effect:
    def __init__(self, type, cell, time, caster, receiver):
        self.type = type  # EFFECT_PLAN, EFFECT_LIGHT, EFFECT_YELL or EFFECT_SHELTER
        self.cell = cell  # of a yell: -1 -1
        self.time = time  # turns left; of a shelter, its energy
        self.caster = caster  # ids of explorers, or -1
        self.receiver = receiver


class Turn:
    def __init__(self):
        self.explorers = []  # I am the first
        self.minions = []
        self.effects = []


grid = []  # '#' wall, 'w' spawn of wanderers, 'U' shelter, '.' floor


def is_floor(cell):
    x, y = cell
    return 0 <= y < len(grid) and 0 <= x < len(grid[y]) and grid[y][x] != "#"


def neighbours(cell):
    x, y = cell
    return [next for next in [(x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)] if is_floor(next)]


def walk(start):
    """Steps from a cell to every other one; a cell without a way is missing."""
    steps = {start: 0}
    open = [start]
    for cell in open:
        for next in neighbours(cell):
            if next not in steps:
                steps[next] = steps[cell] + 1
                open.append(next)
    return steps


def manhattan(a, b):
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def rate(turn, cell):
    steps = walk(cell)
    score = len(neighbours(cell))  # no dead ends
    for minion in turn.minions:
        distance = steps.get(minion.cell, FAR)
        wait = minion.time if minion.state == SPAWNING else 0
        if minion.type == "WANDERER":
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
        if effect.type == "EFFECT_SHELTER":
            score += max(0, 5 - steps.get(effect.cell, FAR))
    return score


def choose(turn):
    me = turn.explorers[0]
    busy, calm = False, True
    for effect in turn.effects:
        if effect.type == "EFFECT_YELL" and effect.receiver == me.id:
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
    turn = Turn()
    count = int(input())  # number of entities
    for _ in range(count):
        type, *numbers = input().split()
        id, x, y, a, b, c = map(int, numbers)
        if type == "EXPLORER":
            turn.explorers.append(Explorer(id, (x, y), a, b, c))
        elif type in ("WANDERER", "SLASHER"):
            turn.minions.append(Minion(type, (x, y), a, b, c))
        else:
            turn.effects.append(Effect(type, (x, y), a, b, c))
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
    sys.exit()  # the game is over
