# SPDX-License-Identifier: Apache-2.0
"""The jobs that bench/truth_of_findings.py keeps: FOLDER/JOB/profile/recording.sprof, FOLDER/JOB/events, FOLDER/JOB/driver.log, and their causes."""

import csv
import pathlib

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
INPUTS = {"profile": "profile/recording.sprof", "events": "events", "log": "driver.log"}

# Jobs of examples/, whose causes are not in the table.
EXAMPLES = {
    "slacker": "sleep",
    "heckler": "repeated-init",
    "straggler": "skew straggler",
    "skewed_join": "skew",
    "slow_udf": "python-bound",
    "tiny_tasks": "tiny-tasks",
    "driver_gap": "driver-gap",
    "spill": "spill",
    "fatso": "gc",
    "exploding_join": "exploding-join",
    "imports": "repeated-init",
    "small_files": "small-files",
    "py4j_spike": "large-result",
    "SharedLock": "lock",
    "Hoarder": "gc low-memory",
    "oom": "oom",
}


def planted():
    """{job: rules that name its cause}; healthy jobs are not in it."""
    rules = {name: set(first.split()) for name, first in EXAMPLES.items()}
    with (REPOSITORY / "tests" / "truth" / "expected.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            rules[row["job"]] = set(row["first"].split())
    return rules
