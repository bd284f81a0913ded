#!/usr/bin/env bash
# Imports 1,000 battles of Kutulu, each with a number of its own and as long as a file of the site: tests/import.sh ARENA
set -euo pipefail
arena=$(realpath "$1")
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 - "$folder" <<'PYTHON'
import gzip
import json
import sys

with gzip.open("crates/games/tests/golden/kutulu.jsonl.gz", "rt") as lines:
    records = map(json.loads, lines)
    record = next(record for record in records if "map" not in record.get("options", {}))
view = " 1\n" + json.dumps({"entitymodule": "U1 0 x 100;" * 500}) + "\n"
frames = [{"agentId": -1, "keyframe": True, "view": view}]
for step in record["steps"]:
    output = step["output"]
    stdout = "" if output is None else output + "\n"
    frames.append({"agentId": step["player"], "stdout": stdout, "view": view})
battle = {"frames": frames, "refereeInput": f"seed={record['seed']}\n", "scores": record["scores"]}
for number in range(1000):
    with open(f"{sys.argv[1]}/{number:03}.json", "w") as file:
        json.dump(battle | {"gameId": 900000000 + number}, file)
PYTHON
du -sh "$folder" | cut -f1
time "$arena" import "$folder"/*.json --game kutulu --maps crates/games/src/kutulu/maps --out "$folder/run" | tail -n 1
