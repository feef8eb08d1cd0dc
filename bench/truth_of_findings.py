#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs jobs with a planted cause, and healthy ones, and compares the first finding of each with what was planted:

    truth_of_findings.py FOLDER [--spark VERSION] [--fixed] [--loaded] [JOB...]

The jobs are examples/, tests/truth/*.py with the rules of tests/truth/expected.tsv (the first finding may be any of them, or for an
event log or a text log, which do not show every cause, one of its column "logs"), and tests/truth/healthy/*.py, which must have none
above low. Each runs profiled; the first finding of its profile, its event log and
its text log are printed, and how many are right at the end. --fixed also runs the job with --fixed, and prints the saving that was
promised and what the fix gained. --loaded runs two busy processes beside all. The folder keeps the recordings and
logs, and results.json, which truth_table.py makes a page of. Run it alone on the machine: gains are differences of wall time."""

import argparse
import contextlib
import csv
import datetime
import json
import os
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent
TRUTH_JOBS = REPOSITORY / "tests" / "truth"
os.environ.setdefault("SPARKPROF_BIN", str(REPOSITORY / "bin" / "sparkprof"))
sys.path.insert(0, str(REPOSITORY / "tests" / "e2e"))
from spark_jobs import SPARK_VERSIONS  # noqa: E402
from test_truth_of_findings import TRUTH, JobRun, run_java  # noqa: E402

KINDS = ("profile", "events", "log")
JAVA = {"SharedLock": ((), ("lock",), ("sleep",)), "Hoarder": (("--driver-memory", "600m"), ("gc", "low-memory"), ())}


def planted():
    """Jobs by name: path, options of spark-submit, the rules that name the cause (none for a healthy one), and more for logs."""
    jobs = {}
    for job, options, *rules in TRUTH:
        jobs[job.removesuffix(".py")] = (REPOSITORY / "examples" / job, options, set(" ".join(rules[:3]).split()), set())
    for job, (options, rules, logs) in JAVA.items():
        jobs[job] = (None, options, set(rules), set(logs))
    with (TRUTH_JOBS / "expected.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            options, logs = row["options"] or "", row["logs"] or ""
            jobs[row["job"]] = (TRUTH_JOBS / f"{row['job']}.py", tuple(shlex.split(options)), set(row["first"].split()), set(logs.split()))
    for path in sorted((TRUTH_JOBS / "healthy").glob("*.py")):
        jobs[path.stem] = (path, (), set(), set())
    return jobs


def run(name, job, version, folder, *arguments):
    path, options, _, _ = job
    folder.mkdir(parents=True)
    if path is None:
        return run_java(folder, name, options, arguments, version)
    return JobRun(folder, path, options, arguments, version)


def seconds(path):
    """From the start of the first job of an event log to the end of its application: without Spark's own start, which varies."""
    times = {}
    for log in path.rglob("*"):
        for line in log.open(encoding="utf-8") if log.is_file() and not log.name.startswith((".", "appstatus")) else ():
            if line.startswith(('{"Event":"SparkListenerJobStart', '{"Event":"SparkListenerApplicationEnd')):
                event = json.loads(line)
                times.setdefault(event["Event"], event.get("Submission Time") or event["Timestamp"])
    return (times["SparkListenerApplicationEnd"] - times["SparkListenerJobStart"]) / 1000


def is_right(findings, rules):
    if rules:
        return bool(findings) and findings[0]["rule"] in rules
    return all(one["severity"] == "low" for one in findings)


def describe(finding):
    saving = finding["savingMs"]
    return f"{finding['rule']:15}{saving['low'] / 1000:6.1f} to {saving['high'] / 1000:.1f} s  {finding['severity']}: {finding['title']}"


def summary(finding, right):
    """The part of a first finding that results.json keeps."""
    saving = [finding["savingMs"][end] / 1000 for end in ("low", "high")]
    return {"rule": finding["rule"], "severity": finding["severity"], "savingSeconds": saving, "right": right}


@contextlib.contextmanager
def load(processes):
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--spark", default=SPARK_VERSIONS[0])
    options.add_argument("--fixed", action="store_true")
    options.add_argument("--loaded", action="store_true")
    options.add_argument("jobs", nargs="*")
    options = options.parse_args()
    jobs = planted()
    right, counted = dict.fromkeys(KINDS, 0), 0
    version = subprocess.run([os.environ["SPARKPROF_BIN"], "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    results = {
        "date": datetime.date.today().isoformat(),
        "sparkprof": version,
        "spark": options.spark,
        "loaded": options.loaded,
        "jobs": [],
    }
    with load(2 if options.loaded else 0):
        for name in options.jobs or jobs:
            rules, in_logs = jobs[name][2:]
            try:
                with_cause = run(name, jobs[name], options.spark, options.folder / name)
            except Exception as error:
                print(f"{name}: did not run: {str(error)[-300:]}", flush=True)
                continue
            counted += 1
            print(f"{name}: {' or '.join(sorted(rules)) or 'healthy'}", flush=True)
            result = {"job": name, "rules": sorted(rules), "found": {}}
            for kind in KINDS:
                found = with_cause.findings(kind)
                good = is_right(found, rules if kind == "profile" or not rules else rules | in_logs)
                right[kind] += good
                result["found"][kind] = summary(found[0], good) if found else None
                print(f"  {'right' if good else 'WRONG'}  {kind:8}{describe(found[0]) if found else 'nothing'}", flush=True)
            if options.fixed and rules:
                fixed = run(name, jobs[name], options.spark, options.folder / f"{name}-fixed", "--fixed")
                before, after = seconds(with_cause.events), seconds(fixed.events)
                result |= {"seconds": before, "fixedSeconds": after}
                print(f"  {before:.1f} s, fixed {after:.1f} s, gain {before - after:.1f} s", flush=True)
            results["jobs"].append(result)
            (options.folder / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(", ".join(f"{kind}: {right[kind]} of {counted} right" for kind in KINDS))


if __name__ == "__main__":
    main()
