# SPDX-License-Identifier: Apache-2.0
"""`sparkprof events` against an independent reading of the same event logs: plain json, line by line.

Reads the shared logs (SPARKPROF_SHARED_DATA or ../shared/data), and always a small log that is made here, in pieces, with
damage and with a copy.
"""
import collections
import gzip
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("SPARKPROF_BINARY", str(ROOT / "bin" / "sparkprof"))
LOGS = pathlib.Path(os.environ.get("SPARKPROF_SHARED_DATA", ROOT / ".." / "shared" / "data")) / "eventlogs"


def events(path, table, *options):
    result = subprocess.run([BINARY, "events", str(path), table, "--json", *options], capture_output=True, check=True)
    return json.loads(result.stdout)


def text_of(file):
    if file.suffix in (".zstd", ".zst"):
        return subprocess.run(["zstd", "-dcq", str(file)], capture_output=True).stdout
    return gzip.open(file).read() if file.suffix == ".gz" else file.read_bytes()


def files_of(log):
    if log.is_file():
        return [log]
    rolled = [file for file in log.iterdir() if not file.name.startswith("appstatus_")]

    def order(file):
        return int(file.name.split("_")[1]) if file.name.startswith("events_") else file.name == "eventlog"

    return sorted(rolled, key=lambda file: (order(file), file.name))


def read(log):
    """The events of a log; lines that are not JSON are left out."""
    for file in files_of(log):
        for line in text_of(file).splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict) and "Event" in event:
                yield event


def status_of(event):
    reason = event.get("Task End Reason", {}).get("Reason")
    if event["Task Info"].get("Killed") or reason == "TaskKilled":
        return "KILLED"
    return "SUCCESS" if reason == "Success" and not event["Task Info"].get("Failed") else "FAILED"


def count(log):
    """What the log says about tasks, added up by hand."""
    tasks = {}
    names = collections.Counter()
    jobs = set()
    for event in read(log):
        name = event["Event"].rsplit(".", 1)[-1]
        names[name] += 1
        if name in ("SparkListenerJobStart", "SparkListenerJobEnd"):  # a log may have lost its begin
            jobs.add(event["Job ID"])
        if name not in ("SparkListenerTaskStart", "SparkListenerTaskEnd"):
            continue
        if event.get("Task End Reason", {}).get("Reason") == "Resubmitted":
            continue
        info, metrics = event["Task Info"], event.get("Task Metrics") or {}
        task = tasks.setdefault(info["Task ID"], {})
        task.update(taskId=info["Task ID"], index=info["Index"], attempt=info["Attempt"], stageId=event["Stage ID"],
                    stageAttemptId=event.get("Stage Attempt ID", 0), executorId=info["Executor ID"], host=info["Host"],
                    launchTime=info["Launch Time"], speculative=info.get("Speculative", False),
                    partitionId=info.get("Partition ID", -1))
        if name == "SparkListenerTaskStart":
            task.update(status="RUNNING")
            continue
        read_metrics = metrics.get("Shuffle Read Metrics") or {}
        write_metrics = metrics.get("Shuffle Write Metrics") or {}
        task.update(
            status=status_of(event), finishTime=info["Finish Time"],
            executorRunTime=metrics.get("Executor Run Time", 0), executorCpuTime=metrics.get("Executor CPU Time", 0),
            jvmGcTime=metrics.get("JVM GC Time", 0), resultSize=metrics.get("Result Size", 0),
            memoryBytesSpilled=metrics.get("Memory Bytes Spilled", 0), diskBytesSpilled=metrics.get("Disk Bytes Spilled", 0),
            shuffleRemoteBytesRead=read_metrics.get("Remote Bytes Read", 0),
            shuffleReadBytes=read_metrics.get("Remote Bytes Read", 0) + read_metrics.get("Local Bytes Read", 0),
            shuffleReadRecords=read_metrics.get("Total Records Read", 0),
            shuffleWriteBytes=write_metrics.get("Shuffle Bytes Written", 0),
            shuffleWriteTime=write_metrics.get("Shuffle Write Time", 0),
            inputBytes=(metrics.get("Input Metrics") or {}).get("Bytes Read", 0),
            inputRecords=(metrics.get("Input Metrics") or {}).get("Records Read", 0),
            outputBytes=(metrics.get("Output Metrics") or {}).get("Bytes Written", 0))
    return tasks, names, jobs


class EventLogs(unittest.TestCase):
    def assert_agrees(self, log):
        tasks, names, jobs = count(log)
        rows = events(log, "tasks")
        self.assertEqual(len(rows), len(tasks), log)
        for row in rows:
            expected = tasks[row["taskId"]]
            self.assertEqual({key: row[key] for key in expected}, expected, log)
        self.assertEqual({job["jobId"] for job in events(log, "jobs")}, jobs, log)
        self.assertEqual(len(events(log, "sql")), names["SparkListenerSQLExecutionStart"], log)
        stages = {(stage["stageId"], stage["attemptId"]): stage for stage in events(log, "stages")}
        completed = sum(stage["status"] in ("COMPLETE", "FAILED") for stage in stages.values())
        self.assertEqual(completed, names["SparkListenerStageCompleted"], log)
        by_stage = collections.Counter((task["stageId"], task["stageAttemptId"], task["status"]) for task in tasks.values())
        for (stage, attempt, status), number in by_stage.items():
            key = {"SUCCESS": "numCompleteTasks", "FAILED": "numFailedTasks", "KILLED": "numKilledTasks",
                   "RUNNING": "numActiveTasks"}[status]
            self.assertEqual(stages[stage, attempt][key], number, log)

    @unittest.skipUnless(LOGS.is_dir(), f"no shared data: {LOGS} (set SPARKPROF_SHARED_DATA)")
    def test_every_shared_log_agrees_with_plain_json(self):
        for log in sorted(LOGS.iterdir()):
            with self.subTest(log=log.name):
                self.assert_agrees(log)

    def lines(self, application, tasks):
        yield {"Event": "SparkListenerLogStart", "Spark Version": "3.5.7"}
        yield {"Event": "SparkListenerApplicationStart", "App Name": "made", "App ID": application, "Timestamp": 1000, "User": "u"}
        yield {"Event": "SparkListenerJobStart", "Job ID": 0, "Submission Time": 1001, "Stage IDs": [0],
               "Stage Infos": [{"Stage ID": 0, "Stage Attempt ID": 0, "Stage Name": "s", "Number of Tasks": tasks}]}
        for task in range(tasks):
            info = {"Task ID": task, "Index": task, "Attempt": 0, "Partition ID": task, "Launch Time": 1100 + task,
                    "Executor ID": "1", "Host": "h", "Locality": "ANY", "Speculative": False, "Finish Time": 0}
            yield {"Event": "SparkListenerTaskStart", "Stage ID": 0, "Stage Attempt ID": 0, "Task Info": info}
            yield {"Event": "SparkListenerTaskEnd", "Stage ID": 0, "Stage Attempt ID": 0, "Task End Reason":
                   {"Reason": "Success"} if task % 5 else {"Reason": "ExceptionFailure", "Class Name": "E", "Description": "d"},
                   "Task Info": {**info, "Finish Time": 2000 + task, "Failed": task % 5 == 0},
                   "Task Metrics": {"Executor Run Time": task, "Executor CPU Time": task * 1000, "JVM GC Time": 1,
                                    "Shuffle Read Metrics": {"Remote Bytes Read": 7, "Local Bytes Read": task},
                                    "Shuffle Write Metrics": {"Shuffle Bytes Written": 3, "Shuffle Write Time": 9},
                                    "Input Metrics": {"Bytes Read": 1 << 40, "Records Read": 2}}}

    def test_a_log_in_pieces_with_damage_and_a_copy_agrees_too(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "eventlog_v2_app-1"
            log.mkdir()
            lines = [json.dumps(event) for event in self.lines("app-1", 50)]
            (log / "events_1_app-1").write_text("\n".join(lines[:40]) + "\nnot json\n" + lines[40][:20])
            (log / "events_2_app-1.gz").write_bytes(gzip.compress("\n".join(lines[40:]).encode()))
            (log / "appstatus_app-1.inprogress").touch()
            self.assert_agrees(log)
            (pathlib.Path(folder) / "copy").write_text("\n".join(lines[:40]))
            (pathlib.Path(folder) / "other").write_text("\n".join(json.dumps(event) for event in self.lines("app-2", 3)))
            rows = events(folder, "tasks")
            self.assertEqual(collections.Counter(row["applicationId"] for row in rows), {"app-1": 50, "app-2": 3})


if __name__ == "__main__":
    unittest.main()
