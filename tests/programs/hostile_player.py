#!/usr/bin/env python3
"""A player of tic-tac-toe that misbehaves with its first answer: hostile_player.py MODE REFEREE.

REFEREE is the file of the referee. Where the player gets at it, it says so instead of an action; else it plays on.
"""

import ctypes
import os
import signal
import sys
import time

MODE, REFEREE = sys.argv[1:]


def processes():
    """Those of the referee, as far as they are seen."""
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as command:
                if name.isdigit() and int(name) != os.getpid() and b"hostile_player" not in (line := command.read()):
                    if REFEREE.encode() in line:
                        yield int(name)
        except OSError:
            pass


def works(action):
    try:
        return action() not in (-1, False)
    except OSError:
        return False


def write(path):
    with open(path, "ab", buffering=0) as file:
        file.write(b"\n# changed\n")


def read(path):
    with open(path, "rb", buffering=0) as file:
        file.read(1)


def at_processes(action):
    return lambda: any([works(lambda pid=pid: action(pid)) for pid in processes()])


PTRACE_ATTACH = 16
BREACHES = {
    "signals": at_processes(lambda pid: os.kill(pid, signal.SIGKILL)),
    "stops": at_processes(lambda pid: os.kill(pid, signal.SIGSTOP)),
    "traces": at_processes(lambda pid: ctypes.CDLL(None).ptrace(PTRACE_ATTACH, pid, None, None)),
    "reads memory": at_processes(lambda pid: read(f"/proc/{pid}/mem")),
    "reads environment": at_processes(lambda pid: read(f"/proc/{pid}/environ")),
    "speaks for it": at_processes(lambda pid: write(f"/proc/{pid}/fd/1")),
    "writes its file": lambda: works(lambda: write(REFEREE)),
    "deletes its file": lambda: works(lambda: os.remove(REFEREE)),
    "writes beside it": lambda: works(lambda: write(os.path.join(os.path.dirname(REFEREE), "json.py"))),
}


def memory():
    taken = []
    while True:
        taken.append(bytearray(b"x") * (1 << 20))


def endless():
    while True:
        os.write(1, b"x" * 4096)


FAULTS = {
    "sleeps": lambda: time.sleep(3600),
    "exits": lambda: os._exit(1),
    "aborts": lambda: os.kill(os.getpid(), signal.SIGABRT),
    "memory": memory,
    "endless line": endless,
}
ANSWERS = {
    "nonsense": "hello",
    "scores": "[[SCORES] 2]",
    "nothing": "",
    "control characters": "\x1b[2J\x00",
    "long": "0" * 9000,
}

first = True
while True:
    letter = input()
    rows = [input() for _ in range(3)]
    actions = [input() for _ in range(int(input()))]
    answer = actions[0]
    if first and MODE in BREACHES and BREACHES[MODE]():
        answer = "breach"
    if first and MODE in FAULTS:
        FAULTS[MODE]()
    if first and MODE in ANSWERS:
        answer = ANSWERS[MODE]
    first = False
    print(answer, flush=True)
