"""The loop of docs/how-to/agents.md: tries versions of an Onitama bot, the files on the command line."""

import json
import shutil
import subprocess
import sys


def arena(*words):
    """Runs a command, and returns its document."""
    run = subprocess.run(["arena", *words, "--json", "--quiet"], capture_output=True, text=True)
    document = json.loads(run.stdout)
    assert (run.returncode, run.stderr) == (document["exit"], "")
    return document


begun = arena("init", ".", "--game", "onitama", "--language", "python", "--agents")
assert {"bot.py", "AGENTS.md"} <= set(begun["files"])
assert "PASS" in arena("list", "rules", "onitama")["rules"]["text"]
arena("pool", "new", "onitama")
best = None
for number, source in enumerate(sys.argv[1:], 1):
    name = f"v{number}"
    shutil.copy(source, "bot.py")
    if not arena("check", "onitama", "bot.py")["ok"]:
        sys.exit(f"{source} isn't ready to play")
    tried = arena("pool", "try", f"{name}=bot.py", "--games", "120")
    if tried["exit"] == 0:
        best = arena("pool", "best", name)["bots"][0]["bot"]
    elif tried["exit"] in (1, 4):
        run = tried["folder"]
        lost = arena("replay", run, "--bot", name, "--result", "loss")["games"][0]
        last = f"{max(1, lost['turns'] - 3)}..{lost['turns']}"
        for step in arena("replay", run, str(lost["number"]), "--turns", last)["steps"]:
            print(step["turn"], step["bot"], step["output"], step["ms"])
    else:
        sys.exit(tried["error"]["message"])
print("best:", best)
