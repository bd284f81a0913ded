#!/usr/bin/env python3
"""A referee of a game without rules, four answers long, that misbehaves: hostile_referee.py MODE MOMENT.

MOMENT is `start`, before the first question, `middle`, before the third, or `end`, instead of the scores.
"""

import os
import signal
import sys
import time

MODE, MOMENT = sys.argv[1:]
out = sys.stdout.buffer


def read():
    header = sys.stdin.buffer.readline() or sys.exit()
    for _ in range(int(header.split(b"] ")[1].rstrip(b"]\n"))):
        sys.stdin.buffer.readline()


def say(text):
    out.write(text if isinstance(text, bytes) else text.encode())
    out.flush()


def sleep():
    while True:
        time.sleep(1000)


def endless(stream, data):
    while True:
        stream.write(data)
        stream.flush()


def slow():
    say("[[NEXT_PLAYER_INPUT] 1000]\n")
    while True:
        say("line\n")
        time.sleep(0.05)


def die(status):
    print("these are my last words", file=sys.stderr, flush=True)
    os._exit(status)


def child(stays):
    """A child in a session of its own, which keeps the pipes open if it is to."""
    if os.fork() == 0:
        os.setsid()
        if not stays:
            os.closerange(0, 3)
        sleep()


def ignores_signals():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sleep()


def closes_stdout():
    os.close(1)
    sleep()


def memory():
    taken = []
    while True:
        taken.append(bytearray(b"x") * (1 << 20))


def tries(action):
    try:
        action()
    except OSError:
        pass


def kills_all():
    tries(lambda: os.kill(os.getppid(), signal.SIGKILL))
    # Outside a sandbox, never the user's processes.
    if len([name for name in os.listdir("/proc") if name.isdigit()]) < 3:
        tries(lambda: os.kill(-1, signal.SIGKILL))
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid() and mine(name):
            tries(lambda name=name: os.kill(int(name), signal.SIGKILL))


def mine(name):
    """Whether a process comes from the same test."""
    try:
        with open(f"/proc/{name}/environ", "rb") as environ:
            return f"ARENA_TEST_TAG={os.environ['ARENA_TEST_TAG']}".encode() in environ.read().split(b"\0")
    except OSError:
        return False


def writes_outside():
    tries(lambda: open(os.environ["ARENA_TEST_PRECIOUS"], "w", encoding="utf-8").write("changed"))


def question(*lines):
    return lambda: say(f"[[NEXT_PLAYER_INPUT] 1]\nx\n[[NEXT_PLAYER_INFO] {len(lines)}]\n" + "".join(f"{line}\n" for line in lines))


def text(said):
    return lambda: say(said)


MODES = {
    "hangs": sleep,
    "slow": slow,
    "frames": lambda: endless(out, b"[[VIEW] 1]\nx\n" * 100),
    "empty frames": lambda: endless(out, b"[[VIEW] 0]\n" * 100),
    "long frame": lambda: (say("[[VIEW] 100000]\n"), endless(out, b"x" * 1000 + b"\n")),
    "lines": lambda: endless(out, b"x\n" * 100),
    "line": lambda: endless(out, b"x" * 4096),
    "line in a frame": lambda: (say("[[VIEW] 1]\n"), endless(out, b"x" * 4096)),
    "stderr": lambda: (sys.stderr.buffer.write((b"x" * 4095 + b"\n") * 10_000), sleep()),
    "dies": lambda: die(7),
    "exits": lambda: die(0),
    "half a frame": lambda: (say("[[VIEW] 3]\nx\n"), die(0)),
    "signal": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "exits, child stays": lambda: (child(True), die(7)),
    "child stays": lambda: child(False),
    "closes stdout": closes_stdout,
    "ignores signals": ignores_signals,
    "memory": memory,
    "nonsense": text("Welcome to my game!\n"),
    "no count": text("[[VIEW]]\n"),
    "negative count": text("[[VIEW] -1]\n"),
    "huge count": text("[[VIEW] 99999999]\n"),
    "count too small": text("[[VIEW] 1]\na\nb\n"),
    "nul": text(b"\0\0[[VIEW] 0]\n"),
    "no utf-8": text(b"\xff\xfe\n"),
    "seat 9": question(9, 1, 1000),
    "seat -1": question(-1, 1, 1000),
    "-1 lines": question(0, -1, 1000),
    "a million lines": question(0, 1000000, 1000),
    "two lines of question": question(0, 1),
    "no time": question(0, 1, 0),
    "endless time": question(0, 1, 2**64 - 1),
    "fraction of time": question(0, 1, 0.5),
    "few scores": text("[[SCORES] 1]\n0 1\n"),
    "many scores": text("[[SCORES] 3]\n0 1\n1 0\n2 0\n"),
    "no scores": text("[[SCORES] 0]\n"),
    "a seat twice": text("[[SCORES] 2]\n0 1\n0 0\n"),
    "score 1e99": text("[[SCORES] 2]\n0 1e99\n1 0\n"),
    "score of a name": text("[[SCORES] 2]\n0 1\nb 0\n"),
    "version 99": text("[[ARENA] 1]\nprotocol=99\n"),
    "seats 3": text("[[ARENA] 2]\nprotocol=1\nseats=3\n"),
    "bad frame": text('[[FRAME] 1]\n{"grid": [".", ".."]}\n'),
    "bad fate": text("[[FATE] 1]\n7 invalid_action no seat\n"),
    "fails": text("[[FAIL] 2]\n\x1b[31mno such league\x1b[2J\nas 9\u202e\n"),
    "kills": kills_all,
    "writes outside": writes_outside,
}


def misbehave(moment):
    if moment == MOMENT:
        MODES[MODE]()


read()  # INIT
read()  # GET_GAME_INFO
misbehave("start")
for turn in range(4):
    if turn == 2:
        misbehave("middle")
    question(turn % 2, 1, 10000)()
    read()  # The answer.
    read()  # GET_GAME_INFO
misbehave("end")
say("[[SCORES] 2]\n0 1\n1 1\n")
