#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs each example with its planted cause and with --fixed, and prints the first finding of its profile, event log and text
log, the saving it promised and what the fix gained: truth_of_findings.py FOLDER [--spark VERSION] [EXAMPLE...]

The folder keeps the recordings and logs. Run it alone on the machine: gains are differences of wall time."""

import argparse
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent
os.environ.setdefault("SPARKPROF_BIN", str(REPOSITORY / "bin" / "sparkprof"))
sys.path.insert(0, str(REPOSITORY / "tests" / "e2e"))
import support  # noqa: E402
from test_truth_of_findings import TRUTH, JobRun, run_java  # noqa: E402

EXAMPLES = {job.removesuffix(".py"): options for job, options, *_ in TRUTH} | {"SharedLock": (), "Hoarder": ("--driver-memory", "600m")}


def run(name, version, folder, *arguments):
    folder.mkdir(parents=True)
    if name[0].isupper():
        return run_java(folder, name, EXAMPLES[name], arguments, version)
    return JobRun(folder, REPOSITORY / "examples" / f"{name}.py", EXAMPLES[name], arguments, version)


def seconds(path):
    """From the start of the first job of an event log to the end of its application: without Spark's own start, which varies."""
    times = {}
    for log in path.rglob("*"):
        for line in log.open(encoding="utf-8") if log.is_file() and not log.name.startswith((".", "appstatus")) else ():
            if line.startswith(('{"Event":"SparkListenerJobStart', '{"Event":"SparkListenerApplicationEnd')):
                event = json.loads(line)
                times.setdefault(event["Event"], event.get("Submission Time") or event["Timestamp"])
    return (times["SparkListenerApplicationEnd"] - times["SparkListenerJobStart"]) / 1000


def main():
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--spark", default=support.SPARK_VERSIONS[0])
    options.add_argument("examples", nargs="*", default=list(EXAMPLES))
    options = options.parse_args()
    for name in options.examples:
        with_cause = run(name, options.spark, options.folder / name)
        fixed = run(name, options.spark, options.folder / f"{name}-fixed", "--fixed")
        before, after = seconds(with_cause.events), seconds(fixed.events)
        print(f"{name}: {before:.1f} s, fixed {after:.1f} s, gain {before - after:.1f} s")
        for kind in ("profile", "events", "log"):
            for one in with_cause.findings(kind)[:2]:
                saving = one["savingMs"]
                print(
                    f"  {kind:8}{one['rule']:15}{saving['low'] / 1000:6.1f} to {saving['high'] / 1000:.1f} s  {one['severity']}: {one['title']}"
                )
        for one in fixed.findings("profile"):
            if one["severity"] != "low":
                print(f"  fixed   {one['rule']:15}{one['severity']}: {one['title']}", flush=True)


if __name__ == "__main__":
    main()
