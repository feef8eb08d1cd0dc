# SPDX-License-Identifier: Apache-2.0
"""Event logs of small applications, for tests of `sparkprof fleet`."""

import json

TASK = {"Task ID": 0, "Index": 0, "Attempt": 0, "Launch Time": 1_700_000_001_000, "Executor ID": "1", "Host": "a", "Locality": "ANY"}


def event_log(number, tasks):
    """One stage of a second a task on an executor with two cores."""
    task = TASK | {"Speculative": False, "Getting Result Time": 0, "Finish Time": 1_700_000_002_000, "Failed": False, "Killed": False}
    events = [
        {"Event": "SparkListenerLogStart", "Spark Version": "3.5.1"},
        {
            "Event": "SparkListenerApplicationStart",
            "App Name": f"etl_{number}",
            "App ID": f"app-{number:05}",
            "Timestamp": 1_700_000_000_000,
            "User": "ana",
        },
        {
            "Event": "SparkListenerExecutorAdded",
            "Timestamp": 1_700_000_000_500,
            "Executor ID": "1",
            "Executor Info": {"Host": "a", "Total Cores": 2, "Log Urls": {}},
        },
    ]
    for tid in range(tasks):
        info = task | {"Task ID": tid, "Index": tid}
        events.append({"Event": "SparkListenerTaskStart", "Stage ID": 0, "Stage Attempt ID": 0, "Task Info": info})
        end = {"Event": "SparkListenerTaskEnd", "Stage ID": 0, "Stage Attempt ID": 0, "Task Type": "ResultTask"}
        events.append(end | {"Task End Reason": {"Reason": "Success"}, "Task Info": info, "Task Metrics": {"Executor Run Time": 1000}})
    events.append({"Event": "SparkListenerApplicationEnd", "Timestamp": 1_700_000_010_000})
    return "".join(json.dumps(event) + "\n" for event in events)


def write_logs(folder, count, tasks):
    for number in range(count):
        (folder / f"app-{number:05}").write_text(event_log(number, tasks))
