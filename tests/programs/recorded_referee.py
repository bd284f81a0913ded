#!/usr/bin/env python3
"""Plays the side of the referee in a transcript of a real one: recorded_referee.py TRANSCRIPTS NUMBER.

What it is sent has to be what the transcript says, but for the seed, `arena=1` and the times of answers. It exits with 3 and
a message if something differs.
"""

import gzip
import json
import sys


def differs(expected, got):
    print(f"the transcript has {expected!r}, but this was sent: {got!r}", file=sys.stderr)
    sys.exit(3)


def line():
    return sys.stdin.buffer.readline().decode()


def init():
    """The frame INIT: the number of seats, and what is none of the transcript's business taken out."""
    header = line()
    count = int(header.split("] ")[1].rstrip("]\n"))
    lines = [line() for _ in range(count)]
    if "arena=1\n" not in lines:
        differs("arena=1", lines)
    return "[[INIT] 2]\n" + "".join(text for text in lines if text != "arena=1\n")


def without_seed(text):
    return ["seed" if text.startswith(("seed=", "###Seed ")) else text for text in text.splitlines()]


with gzip.open(sys.argv[1], "rt", encoding="utf-8") as transcripts:
    transcript = json.loads(transcripts.readlines()[int(sys.argv[2])])
steps = transcript["steps"]
last = max(at for at, (direction, _) in enumerate(steps) if direction == "<")
monitors = False
for direction, text in steps[: last + 1]:
    if direction == "<":
        monitors = monitors or "[[MONITORING] 0]\n" in text
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        continue
    if text.startswith("[[INIT]"):
        got = init()
    else:
        got = "".join(line() for _ in range(text.count("\n")))
    expected, seen = without_seed(text), without_seed(got)
    if monitors and text.startswith("[[SET_PLAYER_OUTPUT]") and len(seen) > 1 and seen[1].isdigit():
        expected[1] = seen[1]
    if expected != seen:
        differs(text, got)
print(transcript.get("stderr", ""), end="", file=sys.stderr)
sys.exit(transcript["exit"])
