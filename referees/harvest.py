#!/usr/bin/env python3
"""A referee for a small game of 2 to 8 seats that all move at once: 60 turns, see docs/how-to/referees.md for its protocol.

Crops of 1 to 9 points grow on a field of 12 columns and 9 rows; a new one is sown wherever one was reaped, and all places are
drawn from the seed. Who walks onto a crop alone reaps it; where several meet, nobody does. A bot reads once its seat, the number of
seats, columns, rows and turns, all in one line; then each turn a line `X Y SCORE` per seat, the number of crops, and a line
`X Y POINTS` for each. It answers N, E, S, W or STAY; a step off the field is no action. A seat that fails is out: its score is -1.
"""

import json
import sys

COLUMNS, ROWS, TURNS, CROPS = 12, 9, 60, 10
STEPS = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0), "STAY": (0, 0)}


def read():
    """One frame of the arena: its name and its lines. The arena ends a referee by closing its standard input."""
    header = sys.stdin.readline() or sys.exit()
    name, count = header.strip().lstrip("[").split("] ")
    return name, [sys.stdin.readline().rstrip("\n") for _ in range(int(count.rstrip("]")))]


def send(name, *lines):
    print(f"[[{name}] {len(lines)}]", *lines, sep="\n", flush=True)


class Field:
    def __init__(self, seed, seats):
        self.state = seed % 2**64
        self.places, self.scores, self.crops, self.faults = [], [0] * seats, {}, {}
        while len(self.places) < seats:
            self.places.append(self.free_cell())
        while len(self.crops) < CROPS:
            self.crops[self.free_cell()] = 1 + self.draw(9)

    def draw(self, bound):
        """A number from 0 to bound - 1, from the generator SplitMix64."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        mixed = (self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
        return (mixed ^ mixed >> 31) % bound

    def free_cell(self):
        while True:
            cell = (self.draw(COLUMNS), self.draw(ROWS))
            if cell not in self.places and cell not in self.crops:
                return cell

    def playing(self):
        return [seat for seat in range(len(self.scores)) if seat not in self.faults]

    def actions(self, seat):
        x, y = self.places[seat]
        return [name for name, (dx, dy) in STEPS.items() if 0 <= x + dx < COLUMNS and 0 <= y + dy < ROWS]

    def advance(self, answers):
        for seat, answer in answers.items():
            (x, y), (dx, dy) = self.places[seat], STEPS[answer]
            self.places[seat] = (x + dx, y + dy)
        for seat in answers:
            cell = self.places[seat]
            if cell in self.crops and [self.places[other] for other in self.playing()].count(cell) == 1:
                self.scores[seat] += self.crops.pop(cell)
                self.crops[self.free_cell()] = 1 + self.draw(9)

    def lines(self):
        seats = [f"{x} {y} {score}" for (x, y), score in zip(self.places, self.scores)]
        return [*seats, len(self.crops), *(f"{x} {y} {points}" for (x, y), points in self.crops.items())]

    def show(self, turn):
        crops = [{"x": x, "y": y, "shape": "none", "label": str(points)} for (x, y), points in self.crops.items()]
        people = [
            {"x": x, "y": y, "seat": seat, "label": "ABCDEFGH"[seat]}
            for seat, (x, y) in enumerate(self.places)
            if seat in self.playing()
        ]
        bars = [{"seat": seat, "name": "points", "value": score, "max": 200} for seat, score in enumerate(self.scores)]
        turns = {"name": "turn", "value": turn, "max": TURNS}
        drawing = {"grid": ["." * COLUMNS] * ROWS, "legend": {".": {"colour": "green"}}, "tokens": crops + people}
        send("FRAME", json.dumps({**drawing, "bars": [*bars, turns]}))


def ask(field, seat, is_first):
    """The action of a seat; None, and why is written down, if it gave none."""
    start = [f"{seat} {len(field.scores)} {COLUMNS} {ROWS} {TURNS}"] if is_first else []
    send("ACTIONS", *field.actions(seat))
    send("NEXT_PLAYER_INPUT", *start, *field.lines())
    send("NEXT_PLAYER_INFO", seat, 1, 1000 if is_first else 100)
    name, lines = read()
    read()  # GET_GAME_INFO: the arena waits for what comes next.
    if name == "SET_PLAYER_TIMEOUT":
        field.faults[seat] = "timeout"
    elif lines[0] not in field.actions(seat):
        field.faults[seat] = f"{seat} invalid_action no step: {lines[0]}"
    return None if seat in field.faults else lines[0]


while True:
    _, (seats, *options) = read()  # INIT
    read()  # GET_GAME_INFO
    send("ARENA", "protocol=1", "reuse=yes", "seats=2-8", "name=Harvest")
    field = Field(int(dict(option.split("=", 1) for option in options)["seed"]), int(seats))
    turn = 0
    while turn < TURNS and len(field.playing()) > 1:
        field.show(turn)
        answers = {seat: ask(field, seat, turn == 0) for seat in field.playing()}
        field.advance({seat: answer for seat, answer in answers.items() if answer})
        turn += 1
    field.show(turn)
    fates = [fault for fault in field.faults.values() if fault != "timeout"]
    if fates:
        send("FATE", *fates)
    send("REASON", "max_turns" if turn == TURNS else "last_one_left")
    send("SCORES", *(f"{seat} {-1 if seat in field.faults else score}" for seat, score in enumerate(field.scores)))
