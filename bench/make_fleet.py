#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a folder of event logs to measure `sparkprof fleet` with: make_fleet.py FOLDER NUMBER [LOGS…].

Copies LOGS (default: those of ../shared/data/eventlogs) with application IDs, names, users, queues and days of their own. Of 100
logs, one is damaged, one empty, one cut in the middle, and two are in progress. Prints how many of each there are, as JSON.
"""

import json
import pathlib
import random
import re
import subprocess
import sys

DATA = pathlib.Path(__file__).resolve().parents[2] / "shared" / "data" / "eventlogs"
DAY = 86_400_000
LARGE = 4 << 20
FIRST_DAY = 1_788_220_800_000  # 1 September 2026
USERS = ["ana", "ben", "chen", "dara", "eli", "fay", "gus", "hana"]
QUEUES = ["etl", "adhoc", "ml", "reports"]
JOBS = ["daily_sales", "sessionize", "train_ctr", "ad_report", "dedup", "backfill", "feature_store", "churn", "billing", "search_index"]
TIMES = re.compile(rb'"([A-Za-z ]*[Tt]ime[A-Za-z ]*)"\s*:\s*(1[0-9]{12})\b')


def read(path):
    data = path.read_bytes()
    if data[:4] == b"\x28\xb5\x2f\xfd":
        data = subprocess.run(["zstd", "-dcq", "-"], input=data, capture_output=True, check=False).stdout
    return data


def templates(names):
    if names:
        return [read(pathlib.Path(name)) for name in names]
    found = [
        path for path in sorted(DATA.rglob("*")) if path.is_file() and not re.search(r"truncated|malformed|appstatus|README", str(path))
    ]
    logs = [read(path) for path in found]
    return [log for log in logs if b"SparkListenerApplicationStart" in log]


def compact(event):
    """The event as Spark writes it: some readers search for such text."""
    return json.dumps(event, separators=(",", ":")).encode()


def vary(log, number, rng):
    """The log as that of another application: its ID, name, user and queue, moved to another day."""
    job = rng.choice(JOBS)
    name = f"{job}_{rng.randrange(2026_09_01, 2026_09_30)}"
    start = re.search(rb'SparkListenerApplicationStart.*?"Timestamp"\s*:\s*(\d+)', log)
    shift = FIRST_DAY + rng.randrange(80) * DAY + rng.randrange(DAY) - int(start.group(1))
    log = TIMES.sub(lambda match: b'"%s":%d' % (match.group(1), int(match.group(2)) + shift), log)
    lines = log.split(b"\n")
    for row, line in enumerate(lines):
        if b"SparkListenerApplicationStart" in line:
            event = json.loads(line)
            event.update({"App ID": f"application_{number // 10_000 + 1_788_220_800_000}_{number % 10_000:04}", "App Name": name})
            event["User"] = rng.choice(USERS)
            event.pop("App Attempt ID", None)
            lines[row] = compact(event)
        elif b"SparkListenerEnvironmentUpdate" in line:
            event = json.loads(line)
            if isinstance(event.get("Spark Properties"), dict):
                event["Spark Properties"]["spark.yarn.queue"] = QUEUES[JOBS.index(job) % len(QUEUES)]
            lines[row] = compact(event)
    return f"application_{number // 10_000 + 1_788_220_800_000}_{number % 10_000:04}", b"\n".join(lines)


def main():
    folder, number = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(36)
    logs = templates(sys.argv[3:])
    # One log in 50 is a large one.
    small = [log for log in logs if len(log) < LARGE] or logs
    large = [log for log in logs if len(log) >= LARGE] or logs
    counts = dict.fromkeys(["whole", "in progress", "damaged", "empty"], 0)
    size = 0
    for i in range(number):
        kinds = large if i % 50 == 7 else small
        name, content = vary(kinds[i // (50 if kinds is large else 1) % len(kinds)], i, rng)
        kind = "whole"
        if i % 3 != 0:
            name += ".zstd"
            content = subprocess.run(["zstd", "-1cq", "-"], input=content, capture_output=True, check=True).stdout
        if i % 100 == 17:
            kind, content = "damaged", content[:100] + bytes(rng.randrange(256) for _ in range(2000)) + content[2100:]
            if not name.endswith(".zstd"):
                content = bytes(rng.randrange(256) for _ in range(5000))
        elif i % 100 == 18:
            kind, name, content = (
                "damaged",
                name.removesuffix(".zstd") + ".zstd",
                b"\x28\xb5\x2f\xfd" + bytes(rng.randrange(256) for _ in range(3000)),
            )
        elif i % 100 == 41:
            kind, content = "empty", b""
        elif i % 100 in (63, 64):
            kind, name = "in progress", name + ".inprogress"
            content = content[: len(content) * 3 // 4]
        counts[kind] += 1
        size += len(content)
        (folder / name).write_bytes(content)
    print(json.dumps(counts | {"bytes": size}))


if __name__ == "__main__":
    main()
