#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many operators have a time, of those for which the event log holds one? operator_times.py LOG|FOLDER… [--missing]

An event log holds a time of an operator if a metric of it in the plan is a time above 0. For each log, as the report has them:

    own        of these operators, those with a time of their own: elapsed, on a GPU or in a native engine
    inclusive  those that only have a time with that of operators below them
    timed      own and inclusive, of all; the last line is the sum over the logs

With --missing, each operator without a time follows, with the metrics that are times. A folder is a folder of logs, unless it is a rolling log.
"""

import argparse
import pathlib
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tests" / "e2e"))
from support import report_data, sparkprof  # noqa: E402

OWN = ("elapsedNs", "gpuNs", "nativeNs")


def operators_of(node):
    if "operator" in node:
        yield node
    for child in node.get("children", ()):
        yield from operators_of(child)


def times_in(node):
    """Names of its metrics that are times above 0."""
    return [metric["name"] for metric in node["metrics"] if metric["unit"] == "ns" and (metric["value"] or 0) > 0]


def measure(log):
    """Operators with a time of their own, with an inclusive one only, and without any although the log holds one."""
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "report.html"
        sparkprof("analyze", log, "--report", page, timeout=None)
        queries = report_data(page)["sql"]
    own, inclusive, missing = [], [], []
    for query in queries:
        for node in operators_of(query.get("plan") or {}):
            if not times_in(node):
                continue
            if any(key in node for key in OWN):
                own.append(node)
            elif "inclusiveNs" in node:
                inclusive.append(node)
            else:
                missing.append(node)
    return own, inclusive, missing


def logs_in(path):
    path = pathlib.Path(path)
    is_log = path.is_file() or any(child.name.startswith(("events_", "eventlog")) for child in path.iterdir() if child.is_file())
    return [path] if is_log else sorted(path.iterdir())


def line(name, own, inclusive, missing):
    timed, whole = own + inclusive, own + inclusive + missing
    share = f"{timed / whole:.1%}" if whole else "-"
    return f"{name:<40} own {own}, inclusive {inclusive}, timed {timed} of {whole}: {share}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="+")
    parser.add_argument("--missing", action="store_true", help="name the operators without a time")
    options = parser.parse_args()
    sums = [0, 0, 0]
    for log in [log for path in options.logs for log in logs_in(path)]:
        found = measure(log)
        sums = [total + len(part) for total, part in zip(sums, found)]
        print(line(log.name, *map(len, found)), flush=True)
        for node in found[2] if options.missing else ():
            print(f"    {node['name']}: {', '.join(times_in(node))}")
    print(line("all", *sums))


if __name__ == "__main__":
    main()
