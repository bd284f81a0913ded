#!/usr/bin/env python3
"""Stands for a referee made with the SDK: all seats add numbers in three turns, and nobody is asked in the second one.

As the SDK does, it tells of every answer in a frame: a key frame after the last answer of a turn. In a turn without a
question, it asks seat 0 for no line. A seat that doesn't answer has -1 point at the end.

It shows what bots say with `WAIT TEXT` or `MOVE TEXT`, and refuses other answers that are no numbers.
"""

import sys

frame = 0


def read():
    count = int(sys.stdin.readline().strip("[]\n").split("] ")[1])
    return [sys.stdin.readline().rstrip("\n") for _ in range(count)]


def send(name, *lines):
    print(f"[[{name}] {len(lines)}]", *lines, sep="\n", flush=True)


def tell(is_key, summary, tooltips):
    """The frame of the last answer."""
    global frame
    read()
    send("VIEW", f"{'KEY_FRAME' if is_key else 'INTERMEDIATE_FRAME'} {frame}")
    frame += 1
    send("INFOS")
    if is_key and summary:
        send("SUMMARY", *summary)
    if is_key and tooltips:
        send("TOOLTIP", *(part for tooltip in tooltips for part in tooltip))


seats, seed = read()[:2]
points = [int(seed[5:]) % 10] + [0] * (int(seats) - 1)
is_key, summary, tooltips = True, [], []
refused = set()
for turn in range(3):
    for seat, lines in [(0, 0)] if turn == 1 else [(seat, 1) for seat in range(len(points)) if seat not in refused]:
        tell(is_key, summary, tooltips)
        if is_key:
            is_key, summary, tooltips = False, [], []
        send("NEXT_PLAYER_INPUT", f"turn {turn}")
        send("NEXT_PLAYER_INFO", seat, lines, 1000)
        header = sys.stdin.readline()
        if "TIMEOUT" in header:
            points[seat] = -1
            summary.append(f"${seat} timeout!")
            tooltips.append((f"${seat}: timeout!", seat))
            continue
        answer = [sys.stdin.readline().rstrip("\n") for _ in range(lines)]
        command, _, text = "".join(answer).partition(" ")
        if command in ("WAIT", "MOVE"):
            summary += [answer[0], text, f"${seat} says {text}", f"${seat}: {answer[0]}"]
        elif lines and points[seat] >= 0 and not answer[0].isdigit():
            refused.add(seat)
            points[seat] = 0
            summary.append(f"${seat}: unknown command: {answer[0]}")
        elif lines and points[seat] >= 0:
            points[seat] += int(answer[0])
            summary.append(f"${seat} adds {answer[0]}")
    is_key = True
tell(True, summary, tooltips)
send("UINPUT", seed)
send("SCORES", *(f"{seat} {score}" for seat, score in enumerate(points)))
