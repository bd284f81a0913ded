#!/usr/bin/env python3
"""A Code of Kutulu bot to start one's own from.

It keeps away from wanderers and out of the sight of slashers, stays near the other explorers, and makes a plan when it
is hurt, in company, and nothing threatens. Everything the referee sends is read into a Turn; the one function to change
is `choose`.

Try it:  arena run configs/kutulu.toml
"""

import os
import random
import sys
from collections import deque
from dataclasses import dataclass

SPAWNING, WANDERING, STALKING, RUSHING, STUNNED = range(5)  # what a minion is about


@dataclass
class Explorer:
    """One of the four players."""

    id: int
    cell: tuple  # (x, y); y grows downwards
    sanity: int
    plans: int
    lights: int


@dataclass
class Minion:
    """A wanderer or a slasher."""

    kind: str  # "WANDERER" or "SLASHER"
    cell: tuple
    countdown: int  # turns until it appears; of a wanderer that walks, the turns it has left
    state: int
    target: int  # an explorer's id, or -1


@dataclass
class Effect:
    """Something that lasts for some turns."""

    kind: str  # "PLAN", "LIGHT", "YELL" or "SHELTER"
    cell: tuple  # (-1, -1) for a yell
    left: int  # the turns, or the energy of a shelter
    caster: int  # an explorer's id, -1 for a shelter
    receiver: int  # of a yell


@dataclass
class Turn:
    """What the referee tells about one turn."""

    maze: "Maze"
    me: Explorer
    others: list  # the other living explorers
    minions: list
    effects: list


def choose(turn, rng):
    """What to do: WAIT, MOVE x y, PLAN, LIGHT or YELL."""
    me = turn.me
    ways = turn.maze.distances(me.cell)
    if any(effect.kind == "YELL" and effect.receiver == me.id for effect in turn.effects):
        return "WAIT"  # stuck
    idle = all(effect.caster != me.id for effect in turn.effects)
    company = sum(ways.get(other.cell, 99) <= 2 for other in turn.others)
    if me.plans and idle and company and me.sanity < 210 and danger(turn, me.cell) == 0:
        return "PLAN"

    cells = [me.cell] + turn.maze.neighbours(me.cell)
    best = max(comfort(turn, cell) for cell in cells)
    x, y = rng.choice([cell for cell in cells if comfort(turn, cell) == best])
    return "WAIT" if (x, y) == me.cell else f"MOVE {x} {y}"


def comfort(turn, cell):
    """How well off one is on a cell."""
    ways = turn.maze.distances(cell)
    worth = -danger(turn, cell)
    if turn.others and min(apart(cell, other.cell) for other in turn.others) > 2:
        worth -= 10 + 2 * min(ways.get(other.cell, 99) for other in turn.others)
    if turn.me.sanity < 250:
        shelters = [effect.cell for effect in turn.effects if effect.kind == "SHELTER"]
        worth += sum(max(0, 5 - ways.get(shelter, 99)) for shelter in shelters)
    return worth


def danger(turn, cell):
    """What the minions are likely to do to somebody on a cell."""
    ways = turn.maze.distances(cell)
    total = 0
    for minion in turn.minions:
        wait = minion.countdown if minion.state == SPAWNING else 0
        if minion.kind == "WANDERER":
            turns = ways.get(minion.cell, 99) + wait
            total += [60, 40, 20, 8, 4][turns] if turns < 5 else 0
        elif minion.state != STUNNED and wait <= 2 and turn.maze.sees(minion.cell, cell):
            total += 15
    return total


def apart(one, other):
    """Columns plus rows, whatever stands between: within 2 is company."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


class Maze:
    """The map, with the walking distances that were asked for."""

    def __init__(self, rows):
        self.rows = rows
        self.known = {}

    def is_floor(self, cell):
        """Everything on the map but # is floor."""
        x, y = cell
        return 0 <= y < len(self.rows) and 0 <= x < len(self.rows[y]) and self.rows[y][x] != "#"

    def neighbours(self, cell):
        """The cells one step away."""
        x, y = cell
        return [next for next in [(x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)] if self.is_floor(next)]

    def distances(self, start):
        """The steps from a cell to every cell that can be reached."""
        if start not in self.known:
            steps = {start: 0}
            queue = deque([start])
            while queue:
                cell = queue.popleft()
                for next in self.neighbours(cell):
                    if next not in steps:
                        steps[next] = steps[cell] + 1
                        queue.append(next)
            self.known[start] = steps
        return self.known[start]

    def sees(self, one, other):
        """Whether two cells lie in one row or column, with floor all between."""
        in_line = one[0] == other[0] or one[1] == other[1]
        return in_line and self.distances(one).get(other) == apart(one, other)


def read_turn(maze, read):
    """Reads one turn; `read` gives the next line."""
    explorers, minions, effects = [], [], []
    for _ in range(int(read())):
        kind, *numbers = read().split()
        id, x, y, one, two, three = map(int, numbers)
        if kind == "EXPLORER":
            explorers.append(Explorer(id, (x, y), one, two, three))
        elif kind.startswith("EFFECT_"):
            effects.append(Effect(kind[len("EFFECT_"):], (x, y), one, two, three))
        else:
            minions.append(Minion(kind, (x, y), one, two, three))
    # The first explorer is one's own.
    return Turn(maze, explorers[0], explorers[1:], minions, effects)


def main():
    """Plays one game."""
    rng = random.Random(int(os.environ.get("ARENA_SEED", "0")))

    def read():
        line = sys.stdin.readline()
        if not line:
            sys.exit()  # the end of the input is the end of the game
        return line.rstrip("\n")

    read()  # the width, which the rows tell as well
    maze = Maze([read() for _ in range(int(read()))])
    read()  # lonely loss, group loss, turns until a wanderer appears, turns that it walks
    while True:
        # Flushed at once: the referee waits for the line.
        print(choose(read_turn(maze, read), rng), flush=True)


if __name__ == "__main__":
    main()
