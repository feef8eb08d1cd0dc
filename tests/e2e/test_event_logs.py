# SPDX-License-Identifier: Apache-2.0
"""`sparkprof show` against an independent reading of the same event logs: plain json, line by line.

Reads the shared logs (SPARKPROF_SHARED_DATA or ../shared/data), and always a small log that is made here, in pieces, with
damage and with a copy.
"""

import collections
import datetime
import gzip
import json
import random
import unittest

from support import SHARED_LOGS, TestCase, bench_module, execute, sparkprof

START_MS = 1_700_000_000_000
operator_times = bench_module("operator_times")
COUNTS = {"SUCCESS": "numCompleteTasks", "FAILED": "numFailedTasks", "KILLED": "numKilledTasks", "RUNNING": "numActiveTasks"}
# Folders in which each file is a log of its own: of engines below Spark, and of the attempts of one application.
FOLDERS_OF_LOGS = ("engines", "spark3-multiple_attempts")


def shared_logs():
    """Each log: a file, or the folder of a rolling log."""
    logs = [log for log in SHARED_LOGS.iterdir() if log.name not in FOLDERS_OF_LOGS]
    return sorted([*logs, *(log for folder in FOLDERS_OF_LOGS for log in (SHARED_LOGS / folder).glob("*"))])


def events(path, table, *options):
    result = sparkprof("show", table, path, "--json", *options, code=None)
    rows = json.loads(result.stdout)
    if result.returncode != (0 if rows else 1):
        raise AssertionError(f"exit code {result.returncode}: {result.stderr}")
    return rows


def text_of(file):
    if file.suffix in (".zstd", ".zst"):
        return execute("zstd", "-dcq", file, code=None, text=False).stdout  # a log that is cut is read up to there
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
    """The log's tasks, added up by hand; and the ends of tasks whose output was lost, by stage attempt."""
    tasks = {}
    resubmitted = collections.Counter()
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
            resubmitted[event["Stage ID"], event.get("Stage Attempt ID", 0)] += 1
            continue
        info, metrics = event["Task Info"], event.get("Task Metrics") or {}
        task = tasks.setdefault(info["Task ID"], {})
        task.update(
            taskId=info["Task ID"],
            index=info["Index"],
            attempt=info["Attempt"],
            stageId=event["Stage ID"],
            stageAttemptId=event.get("Stage Attempt ID", 0),
            executorId=info["Executor ID"],
            host=info["Host"],
            launchTime=info["Launch Time"],
            speculative=info.get("Speculative", False),
            partitionId=info.get("Partition ID", -1),
        )
        if name == "SparkListenerTaskStart":
            task.update(status="RUNNING")
            continue
        read_metrics = metrics.get("Shuffle Read Metrics") or {}
        write_metrics = metrics.get("Shuffle Write Metrics") or {}
        task.update(
            status=status_of(event),
            finishTime=info["Finish Time"],
            executorRunTime=metrics.get("Executor Run Time", 0),
            executorCpuTime=metrics.get("Executor CPU Time", 0),
            jvmGcTime=metrics.get("JVM GC Time", 0),
            resultSize=metrics.get("Result Size", 0),
            memoryBytesSpilled=metrics.get("Memory Bytes Spilled", 0),
            diskBytesSpilled=metrics.get("Disk Bytes Spilled", 0),
            shuffleRemoteBytesRead=read_metrics.get("Remote Bytes Read", 0),
            shuffleReadBytes=read_metrics.get("Remote Bytes Read", 0) + read_metrics.get("Local Bytes Read", 0),
            shuffleReadRecords=read_metrics.get("Total Records Read", 0),
            shuffleWriteBytes=write_metrics.get("Shuffle Bytes Written", 0),
            shuffleWriteTime=write_metrics.get("Shuffle Write Time", 0),
            inputBytes=(metrics.get("Input Metrics") or {}).get("Bytes Read", 0),
            inputRecords=(metrics.get("Input Metrics") or {}).get("Records Read", 0),
            outputBytes=(metrics.get("Output Metrics") or {}).get("Bytes Written", 0),
        )
    return tasks, names, jobs, resubmitted


def made_events(application, seed, stages=6):
    """A log of stages whose tasks succeed, fail, are killed or still run; stages are tried again, one job fails."""
    source = random.Random(seed)
    event = lambda name, **fields: {"Event": "SparkListener" + name, **{key.replace("_", " "): value for key, value in fields.items()}}
    yield event("LogStart", Spark_Version="3.5.7")
    yield event("ApplicationStart", App_Name="made", App_ID=application, Timestamp=START_MS, User="u")
    now, task = START_MS, 0
    for stage in range(stages):
        attempts = source.choice((1, 1, 2))
        info = {"Stage ID": stage, "Stage Name": "count at A.scala:1", "Number of Tasks": source.randrange(1, 12), "Submission Time": now}
        yield event("JobStart", Job_ID=stage, Submission_Time=now, Stage_IDs=[stage], Stage_Infos=[{**info, "Stage Attempt ID": 0}])
        for attempt in range(attempts):
            tried = {**info, "Stage Attempt ID": attempt}
            yield event("StageSubmitted", Stage_Info=tried)
            last = stage == stages - 1 and attempt == attempts - 1
            for index in range(info["Number of Tasks"]):
                launch, status = now + source.randrange(5000), source.choice(("SUCCESS", "SUCCESS", "FAILED", "KILLED"))
                yield from made_task(source, stage, attempt, task, index, launch, "RUNNING" if last and index % 3 == 0 else status)
                task += 1
            now += 20_000
            if not last:
                failure = {"Failure Reason": "FetchFailed"} if attempt < attempts - 1 else {}
                yield event("StageCompleted", Stage_Info={**tried, "Completion Time": now, **failure})
        if stage < stages - 1:
            yield event("JobEnd", Job_ID=stage, Completion_Time=now, Job_Result={"Result": "JobSucceeded"})


def made_task(source, stage, attempt, task, index, launch, status):
    executor = source.randrange(1, 4)
    info = {
        "Task ID": task,
        "Index": index,
        "Attempt": 0,
        "Partition ID": index,
        "Launch Time": launch,
        "Executor ID": str(executor),
        "Host": f"h{executor}",
        "Locality": "ANY",
        "Speculative": source.random() < 0.1,
        "Finish Time": 0,
    }
    common = {"Stage ID": stage, "Stage Attempt ID": attempt}
    yield {"Event": "SparkListenerTaskStart", **common, "Task Info": info}
    if status == "RUNNING":
        return
    number = lambda: source.choice((0, 1, source.randrange(1000), source.randrange(1 << 45)))
    reasons = {
        "SUCCESS": {"Reason": "Success"},
        "KILLED": {"Reason": "TaskKilled", "Kill Reason": "another attempt"},
        "FAILED": {"Reason": "ExceptionFailure", "Class Name": "E", "Description": "d"},
    }
    done = {**info, "Finish Time": launch + source.randrange(1, 9000), "Failed": status == "FAILED", "Killed": status == "KILLED"}
    yield {
        "Event": "SparkListenerTaskEnd",
        **common,
        "Task End Reason": reasons[status],
        "Task Info": done,
        "Task Metrics": {
            "Executor Run Time": source.randrange(9000),
            "Executor CPU Time": number(),
            "JVM GC Time": source.randrange(100),
            "Result Size": number(),
            "Memory Bytes Spilled": number(),
            "Disk Bytes Spilled": number(),
            "Shuffle Read Metrics": {"Remote Bytes Read": number(), "Local Bytes Read": number(), "Total Records Read": number()},
            "Shuffle Write Metrics": {"Shuffle Bytes Written": number(), "Shuffle Write Time": number()},
            "Input Metrics": {"Bytes Read": number(), "Records Read": number()},
            "Output Metrics": {"Bytes Written": number()},
        },
    }


def driver_lines(made):
    """The same tasks in the driver's log, by the times of its lines."""
    at = lambda ms: datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).strftime("%y/%m/%d %H:%M:%S")
    lines = [(START_MS, "INFO SparkContext: Running Spark version 3.5.7"), (START_MS, "INFO SparkContext: Submitted application: made")]
    for event in made:
        if event["Event"] not in ("SparkListenerTaskStart", "SparkListenerTaskEnd"):
            continue
        info, stage = event["Task Info"], f"{event['Stage ID']}.{event['Stage Attempt ID']}"
        name = f"task {info['Index']}.{info['Attempt']} in stage {stage} (TID {info['Task ID']})"
        if event["Event"] == "SparkListenerTaskStart":
            what = f"partition {info['Partition ID']}, ANY, 7 bytes) taskResourceAssignments Map()"
            text = f"INFO TaskSetManager: Starting {name} ({info['Host']}, executor {info['Executor ID']}, {what}"
            lines.append((info["Launch Time"], text))
            continue
        end, duration = info["Finish Time"], info["Finish Time"] - info["Launch Time"]
        lost = f"WARN TaskSetManager: Lost {name} ({info['Host']} executor {info['Executor ID']}):"
        texts = {
            "SUCCESS": f"INFO TaskSetManager: Finished {name} in {duration} ms on {info['Host']} (executor {info['Executor ID']}) (1/1)",
            "FAILED": f"{lost} java.io.IOException: disk full",
            "KILLED": f"{lost} TaskKilled (another attempt)",
        }
        lines.append((end, texts[status_of(event)]))
    return [f"{at(ms)} {text}" for ms, text in sorted(lines, key=lambda line: line[0])]


class EventLogs(TestCase):
    def assert_agrees(self, log):
        tasks, names, jobs, resubmitted = count(log)
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
        for (stage, attempt), number in resubmitted.items():  # failed, as in Spark's UI
            by_stage[stage, attempt, "FAILED"] += number
        for (stage, attempt, status), number in by_stage.items():
            self.assertEqual(stages[stage, attempt][COUNTS[status]], number, log)


@unittest.skipUnless(SHARED_LOGS.is_dir(), f"no shared data: {SHARED_LOGS} (set SPARKPROF_SHARED_DATA)")
class SharedLogsTest(EventLogs):
    def test_every_shared_log_agrees_with_plain_json(self):
        for log in shared_logs():
            with self.subTest(log=log.name):
                self.assert_agrees(log)

    def test_operators_use_at_most_the_cpu_time_of_their_tasks(self):
        for log in shared_logs():
            with self.subTest(log=log.name):
                operators = events(log, "operators")
                cpu_ms = sum(row["cpuMs"] or 0 for row in operators)
                self.assertLessEqual(cpu_ms, sum(row["executorCpuTime"] for row in events(log, "tasks")) / 1e6)
                measured = [each for row in operators for each in row["measured"]]
                times = ("elapsedMs", "gpuMs", "nativeMs", "inclusiveMs")
                elapsed = any(row[time] is not None for row in operators for time in times)
                self.assertEqual(elapsed, bool(measured))

    def test_operators_have_a_time_where_the_log_holds_one(self):
        for log in shared_logs():
            with self.subTest(log=log.name):
                own, inclusive, missing = operator_times.measure(log)
                whole = len(own) + len(inclusive) + len(missing)
                self.assertGreaterEqual(whole - len(missing), 0.95 * whole, [node["name"] for node in missing])


class MadeLogsTest(EventLogs):
    def write(self, name, events):
        """A log of these events; its path."""
        path = self.folder / name
        path.write_text("\n".join(json.dumps(event) for event in events))
        return path

    def test_made_logs_agree_with_plain_json(self):
        for seed in range(20):
            with self.subTest(seed=seed):
                self.assert_agrees(self.write(f"log-{seed}", made_events(f"app-{seed}", seed)))

    def test_a_made_drivers_log_tells_of_the_same_tasks(self):
        for seed in range(10):
            with self.subTest(seed=seed):
                made = list(made_events("app-1", seed))
                driver = self.folder / f"driver-{seed}.log"
                driver.write_text("".join(line + "\n" for line in driver_lines(made)))
                whole = {row["taskId"]: row for row in events(self.write(f"log-{seed}", made), "tasks")}
                rows = {row["taskId"]: row for row in events(driver, "tasks", "--zone", "UTC")}
                self.assertEqual(rows.keys(), whole.keys())
                for task, row in rows.items():
                    for field in ("stageId", "stageAttemptId", "index", "attempt", "executorId", "host", "status"):
                        self.assertEqual(row[field], whole[task][field], (task, field))
                    for field in ("launchTime", "finishTime"):  # from a clock without milliseconds
                        self.assertLess(abs((row[field] or 0) - (whole[task].get(field) or 0)), 1000, (task, field))

    def test_a_log_in_pieces_with_damage_and_a_copy_agrees_too(self):
        log = self.folder / "eventlog_v2_app-1"
        log.mkdir()
        lines = [json.dumps(event) for event in made_events("app-1", 1)]
        tasks = sum('"SparkListenerTaskStart"' in line for line in lines)
        (log / "events_1_app-1").write_text("\n".join(lines[:40]) + "\nnot json\n" + lines[40][:20])
        (log / "events_2_app-1.gz").write_bytes(gzip.compress("\n".join(lines[40:]).encode()))
        (log / "appstatus_app-1.inprogress").touch()
        self.assert_agrees(log)
        (self.folder / "copy").write_text("\n".join(lines[:40]))
        second = list(made_events("app-2", 2, stages=1))
        others = sum(event["Event"] == "SparkListenerTaskStart" for event in second)
        self.write("other", second)
        found = collections.Counter(row["applicationId"] for row in events(self.folder, "tasks"))
        self.assertEqual(found, {"app-1": tasks, "app-2": others})
