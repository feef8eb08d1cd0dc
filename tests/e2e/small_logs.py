# SPDX-License-Identifier: Apache-2.0
"""Event logs of small applications."""

import json
import sys

from support import REPOSITORY, execute

PROGRAM = REPOSITORY / "tests" / "cases" / "event_log.py"
TASK = {"Task ID": 0, "Index": 0, "Attempt": 0, "Launch Time": 1_700_000_001_000, "Executor ID": "1", "Host": "a", "Locality": "ANY"}
START = b'{"Event":"SparkListenerApplicationStart","App Name":"job %s","App ID":"%s","Timestamp":1700000000000,"User":"ada"}\n'


def made_log(*groups, application="app-1"):
    """The log that tests/cases/event_log.py prints of these groups of tasks and options."""
    return execute(sys.executable, PROGRAM, *groups, text=False).stdout.replace(b'"app-1"', b'"%s"' % application.encode())


def event_log(application, groups=("3 duration=1000",), options=("end=9000",)):
    """The same as a job of its own name by ada."""
    lines = made_log(*options, *groups).splitlines(keepends=True)
    lines[1] = START % (application.encode(), application.encode())
    return b"".join(lines)


def fleet_log(number, tasks):
    """One stage of a second a task on an executor with two cores."""
    task = TASK | {"Speculative": False, "Getting Result Time": 0, "Finish Time": 1_700_000_002_000, "Failed": False, "Killed": False}
    names = {"App Name": f"etl_{number}", "App ID": f"app-{number:05}", "User": "ana"}
    executor = {"Executor ID": "1", "Executor Info": {"Host": "a", "Total Cores": 2, "Log Urls": {}}}
    events = [
        {"Event": "SparkListenerLogStart", "Spark Version": "3.5.1"},
        {"Event": "SparkListenerApplicationStart", **names, "Timestamp": 1_700_000_000_000},
        {"Event": "SparkListenerExecutorAdded", "Timestamp": 1_700_000_000_500, **executor},
    ]
    for tid in range(tasks):
        info = task | {"Task ID": tid, "Index": tid}
        events.append({"Event": "SparkListenerTaskStart", "Stage ID": 0, "Stage Attempt ID": 0, "Task Info": info})
        end = {"Event": "SparkListenerTaskEnd", "Stage ID": 0, "Stage Attempt ID": 0, "Task Type": "ResultTask"}
        events.append(end | {"Task End Reason": {"Reason": "Success"}, "Task Info": info, "Task Metrics": {"Executor Run Time": 1000}})
    events.append({"Event": "SparkListenerApplicationEnd", "Timestamp": 1_700_000_010_000})
    return "".join(json.dumps(event) + "\n" for event in events)


def write_fleet_logs(folder, count, tasks):
    for number in range(count):
        (folder / f"app-{number:05}").write_text(fleet_log(number, tasks))
