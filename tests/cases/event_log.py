# SPDX-License-Identifier: Apache-2.0
"""Prints Spark's event log of one application. `event-log [cores=2] [end=MS] [failed] [lost=REASON] GROUP…` has one stage (3), whose
tasks the groups describe: '12 duration=2000 run=1990 cpu=1500 records=1000'. Times are ms; tasks start at=0 one after the
other on as many cores as there are, unless together is given. status=failed|killed and reason=TEXT end a task otherwise."""

import heapq
import json
import sys

START_MS = 1_700_000_000_000


def event(name, **fields):
    print(json.dumps({"Event": "SparkListener" + name, **{key.replace("_", " "): value for key, value in fields.items()}}))


def metrics(task):
    number = lambda name, other=0: int(task.get(name, other))
    return {
        "Executor Run Time": number("run", task["duration"]),
        "Executor CPU Time": number("cpu", task["duration"]) * 1_000_000,
        "JVM GC Time": number("gc"),
        "Disk Bytes Spilled": number("spilled"),
        "Memory Bytes Spilled": number("spilled"),
        "Shuffle Read Metrics": {"Fetch Wait Time": number("wait"), "Total Records Read": number("records")},
        "Input Metrics": {"Bytes Read": number("bytes"), "Records Read": 0},
    }


def end_reason(task):
    if task.get("status") == "killed":
        return {"Reason": "TaskKilled", "Kill Reason": task.get("reason", "another attempt succeeded")}
    if task.get("status") == "failed":
        return {
            "Reason": "ExceptionFailure",
            "Class Name": "java.io.IOException",
            "Description": task.get("reason", "disk full"),
            "Full Stack Trace": f"java.io.IOException: {task.get('reason', 'disk full')}\n\tat Job.map(Job.java:1)",
        }
    return {"Reason": "Success"}


def read_groups(words):
    for group in words:
        count, *fields = group.split()
        task = dict(field.partition("=")[::2] for field in fields)
        yield from ({"duration": 1000, **task} for _ in range(int(count)))


def main(arguments):
    options = dict(word.partition("=")[::2] for word in arguments if not word[0].isdigit())
    tasks = list(read_groups(word for word in arguments if word[0].isdigit()))
    cores = int(options.get("cores", 2))
    stage = {
        "Stage ID": 3,
        "Stage Attempt ID": 0,
        "Stage Name": "count at Job.scala:7",
        "Number of Tasks": len(tasks),
        "Submission Time": START_MS,
    }
    event("LogStart", Spark_Version="3.5.7")
    event("ApplicationStart", App_Name="etl", App_ID="app-1", Timestamp=START_MS, User="me")
    event("ExecutorAdded", Timestamp=START_MS, Executor_ID="1", Executor_Info={"Host": "h1", "Total Cores": cores})
    event("JobStart", Job_ID=0, Submission_Time=START_MS, Stage_IDs=[3], Stage_Infos=[stage])
    event("StageSubmitted", Stage_Info=stage)
    free = [START_MS] * cores
    for number, task in enumerate(tasks):
        begin = START_MS if "together" in task else heapq.heappop(free)
        end = begin + int(task["duration"])
        heapq.heappush(free, end)
        info = {
            "Task ID": number,
            "Index": number,
            "Attempt": 0,
            "Partition ID": number,
            "Launch Time": begin,
            "Executor ID": "1",
            "Host": "h1",
            "Locality": "ANY",
            "Speculative": False,
            "Getting Result Time": 0,
            "Finish Time": 0,
        }
        event("TaskStart", Stage_ID=3, Stage_Attempt_ID=0, Task_Info=info)
        info = {**info, "Finish Time": end, "Failed": task.get("status") == "failed", "Killed": task.get("status") == "killed"}
        event(
            "TaskEnd",
            Stage_ID=3,
            Stage_Attempt_ID=0,
            Task_Type="ResultTask",
            Task_End_Reason=end_reason(task),
            Task_Info=info,
            Task_Metrics=metrics(task),
        )
    end = max([START_MS, *free])
    failure = {"Failure Reason": "Job aborted"} if "failed" in options else {}
    event("StageCompleted", Stage_Info={**stage, "Completion Time": end, **failure})
    if "lost" in options:
        event("ExecutorRemoved", Timestamp=START_MS + 500, Executor_ID="1", Removed_Reason=options["lost"])
    result = {"Result": "JobFailed", "Exception": {"Message": "Job aborted", "Stack Trace": []}} if failure else {"Result": "JobSucceeded"}
    event("JobEnd", Job_ID=0, Completion_Time=end, Job_Result=result)
    event("ApplicationEnd", Timestamp=START_MS + int(options["end"]) if "end" in options else end)


main(sys.argv[1:])
