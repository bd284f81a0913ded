#!/usr/bin/env python3
"""Plays the side of a bot in a transcript: recorded_bot.py TRANSCRIPTS. What it reads tells it the transcript and its seat.

Where the transcript has a time-out it sleeps. It exits with 3 if it reads anything else than the transcript says.
"""

import gzip
import json
import sys
import time


def frames(text):
    lines = text.splitlines()
    while lines:
        name, count = lines.pop(0).strip("[]").split("] ")
        yield name, lines[: int(count)]
        del lines[: int(count)]


def questions(transcript):
    """The prompts in their order, as pairs of seat and lines; then the answers, None for none."""
    prompts, answers = [], []
    if transcript["protocol"] == "brutaltester":
        waiting, seat = {}, None
        for direction, text in transcript["steps"]:
            for line in text.splitlines():
                if direction == "<" and line.startswith("###Input"):
                    seat = int(line.split()[1])
                elif direction == "<" and line.startswith("###Output"):
                    prompts.append((int(line.split()[1]), waiting.pop(int(line.split()[1]), [])))
                elif direction == "<" and not line.startswith("###"):
                    waiting.setdefault(seat, []).append(line)
            if direction == ">" and not text.startswith("###"):
                answers.append(text.splitlines())
        return prompts, answers
    prompt, monitors = [], False
    for _, text in transcript["steps"]:
        for name, lines in frames(text):
            monitors = monitors or name == "MONITORING"
            if name == "NEXT_PLAYER_INPUT":
                prompt = lines
            elif name == "NEXT_PLAYER_INFO":
                prompts.append((int(lines[0]), prompt))
                prompt = []
            elif name == "SET_PLAYER_OUTPUT":
                answers.append(lines[monitors:])
            elif name == "SET_PLAYER_TIMEOUT":
                answers.append(None)
    return prompts, answers


def parts(path):
    """What each seat of each transcript reads and answers."""
    for text in gzip.open(path, "rt", encoding="utf-8"):
        transcript = json.loads(text)
        prompts, answers = questions(transcript)
        for own in range(transcript["seats"]):
            yield [(prompt, answer) for (seat, prompt), answer in zip(prompts, answers) if seat == own]


candidates = [part for part in parts(sys.argv[1]) if part]
turn, read = 0, []
while True:
    # Candidates whose input of this turn is complete. The others read more.
    ready = [part for part in candidates if part[turn][0] == read]
    if len(candidates) == 1 and ready:
        answer = ready[0][turn][1]
        if answer is None:
            time.sleep(3600)
        sys.stdout.buffer.write("".join(line + "\n" for line in answer).encode())
        sys.stdout.buffer.flush()
        turn, read = turn + 1, []
        if turn == len(ready[0]):
            sys.exit()
        continue
    line = sys.stdin.buffer.readline().decode().rstrip("\n")
    read.append(line)
    candidates = [part for part in candidates if part[turn][0][: len(read)] == read]
    if not candidates:
        print(f"no transcript goes on with {read!r}", file=sys.stderr)
        sys.exit(3)
