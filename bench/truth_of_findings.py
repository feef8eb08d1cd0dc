#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs each example with its planted cause and with --fixed, and prints the first finding of its profile, event log and text
log, the saving it promised and what the fix gained: truth_of_findings.py FOLDER [--spark VERSION] [EXAMPLE...]

The folder keeps the recordings and logs. Run it alone on the machine: gains are differences of wall time."""
import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent
os.environ.setdefault("SPARKPROF_BIN", str(REPOSITORY / "bin" / "sparkprof"))
sys.path.insert(0, str(REPOSITORY / "tests" / "e2e"))
import support  # noqa: E402

EXAMPLES = {
    "slacker": (), "heckler": (), "straggler": (), "fatso": ("--driver-memory", "600m"), "exploding_join": (), "skewed_join": (),
    "tiny_tasks": (), "driver_gap": (), "slow_udf": (), "imports": (), "small_files": (), "spill": (), "py4j_spike": (),
    "oom": ("--driver-memory", "512m"), "SharedLock": (), "Hoarder": ("--driver-memory", "600m"),
}


def job_of(name, spark, folder):
    """The options and the file of spark-submit for an example; a Java one is compiled."""
    if name[0].islower():
        return [REPOSITORY / "examples" / f"{name}.py"]
    classes = folder / "classes"
    source = REPOSITORY / "examples" / "jvm" / f"{name}.java"
    subprocess.run(["javac", "-cp", f"{spark.home}/jars/*", "-d", classes, source], check=True)
    subprocess.run(["jar", "cf", folder / "example.jar", "-C", classes, "."], check=True)
    return ["--class", name, folder / "example.jar"]


def run(name, spark, folder, *arguments):
    (folder / "events").mkdir(parents=True)
    command = [
        "spark-submit", "--master", "local[2]", *EXAMPLES[name], "--conf", "spark.ui.enabled=false", "--conf", "spark.log.level=INFO",
        "--conf", "spark.eventLog.enabled=true", "--conf", f"spark.eventLog.dir={(folder / 'events').as_uri()}", "--conf", "spark.eventLog.compress=false",
        *job_of(name, spark, folder), *arguments,
    ]
    profile = support.run_profiled(spark, folder / "profile", command)
    (folder / "driver.log").write_text(profile.process.stderr, encoding="utf-8")
    return {"profile": profile.recording, "events": folder / "events", "log": folder / "driver.log"}


def findings(path):
    return json.loads(support.sparkprof("findings", path, "--json").stdout)


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
    spark = support.Spark(options.spark)
    for name in options.examples:
        with_cause = run(name, spark, options.folder / name)
        fixed = run(name, spark, options.folder / f"{name}-fixed", "--fixed")
        before, after = seconds(with_cause["events"]), seconds(fixed["events"])
        print(f"{name}: {before:.1f} s, fixed {after:.1f} s, gain {before - after:.1f} s")
        for kind, path in with_cause.items():
            for one in findings(path)[:2]:
                saving = one["savingMs"]
                print(f"  {kind:8}{one['rule']:15}{saving['low'] / 1000:6.1f} to {saving['high'] / 1000:.1f} s  {one['severity']}: {one['title']}")
        for one in findings(fixed["profile"]):
            if one["severity"] != "low":
                print(f"  fixed   {one['rule']:15}{one['severity']}: {one['title']}", flush=True)


if __name__ == "__main__":
    main()
