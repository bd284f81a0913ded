#!/usr/bin/env python3
"""A referee that does one thing as often as it is told to, and ends its game: limits.py WHAT NUMBER."""

import sys

what, number = sys.argv[1], int(sys.argv[2])


def read():
    header = input()
    return [input() for _ in range(int(header.split("] ")[1].rstrip("]")))]


def say(name, *lines):
    """Says a frame, and returns the number of its bytes."""
    return sys.stdout.write("".join(f"{line}\n" for line in (f"[[{name}] {len(lines)}]", *lines)))


def ask(lines=1, ms=60000):
    sent = say("NEXT_PLAYER_INFO", 0, lines, ms)
    sys.stdout.flush()
    read()  # The answer.
    read()  # GET_GAME_INFO
    return sent


seats = int(read()[0])
read()  # GET_GAME_INFO
match what:
    case "lines of an answer":
        ask(lines=number)
    case "ms":
        ask(ms=number)
    case "lines of a frame":
        say("VIEW", *["x"] * number)
    case "bytes of a line":
        say("VIEW", "x" * number)
    case "bytes of FRAME":
        say("FRAME", "{" + " " * (number - 2) + "}")
    case "frames":
        for _ in range(number - 1):
            say("VIEW")
    case "bytes":
        # Frames of 1 MiB, and what is left for the last one before the question.
        rest = number - len("[[NEXT_PLAYER_INFO] 3]\n0\n1\n60000\n")
        while rest > 1 << 20:
            rest -= say("VIEW", "x" * ((1 << 20) - 100))
        say("VIEW", "x" * (rest - len("[[VIEW] 1]\n\n")))
    case "characters of REASON":
        say("REASON", "x" * number)
    case "questions":
        for _ in range(number - 1):
            ask(lines=0)
ask()
say("SCORES", *[f"{seat} 1" for seat in range(seats)])
