#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a synthetic Spark 3.5 event log to measure with: make_event_log.py FILE MEGABYTES.

One job with stages of 1,000 tasks; each TaskEnd has the metrics and accumulables that Spark writes, so that a task costs
about 3 KB, as in real logs of that version.
"""

import json
import random
import sys

START = 1_700_000_000_000
TASKS_A_STAGE = 1_000


def task_info(tid, index, launch, executor):
    return {
        "Task ID": tid,
        "Index": index,
        "Attempt": 0,
        "Partition ID": index,
        "Launch Time": launch,
        "Executor ID": executor,
        "Host": "host-1",
        "Locality": "PROCESS_LOCAL",
        "Speculative": False,
        "Getting Result Time": 0,
        "Finish Time": 0,
        "Failed": False,
        "Killed": False,
        "Accumulables": [],
    }


def accumulables(seed):
    names = [
        f"internal.metrics.{name}"
        for name in (
            "executorRunTime",
            "executorCpuTime",
            "resultSize",
            "jvmGCTime",
            "executorDeserializeTime",
            "peakExecutionMemory",
            "shuffle.read.localBytesRead",
            "shuffle.write.bytesWritten",
        )
    ]
    internal = [
        {
            "ID": i,
            "Name": name,
            "Update": seed.randrange(10**6),
            "Value": seed.randrange(10**9),
            "Internal": True,
            "Count Failed Values": True,
        }
        for i, name in enumerate(names)
    ]
    sql = [
        {
            "ID": 100 + i,
            "Name": name,
            "Update": str(seed.randrange(10**6)),
            "Value": str(seed.randrange(10**9)),
            "Internal": True,
            "Count Failed Values": True,
            "Metadata": "sql",
        }
        for i, name in enumerate(("number of output rows", "time in aggregation build", "peak memory", "spill size"))
    ]
    return internal + sql


def main(path, megabytes):
    seed = random.Random(1)
    executor_metrics = {
        name: seed.randrange(10**9)
        for name in (
            "JVMHeapMemory",
            "JVMOffHeapMemory",
            "OnHeapExecutionMemory",
            "OffHeapExecutionMemory",
            "OnHeapStorageMemory",
            "DirectPoolMemory",
            "MappedPoolMemory",
            "MinorGCCount",
            "MinorGCTime",
            "MajorGCCount",
            "MajorGCTime",
            "TotalGCTime",
        )
    }
    with open(path, "w", encoding="utf-8") as out:

        def emit(event):
            out.write(json.dumps(event, separators=(",", ":")) + "\n")

        emit({"Event": "SparkListenerLogStart", "Spark Version": "3.5.7"})
        emit({"Event": "SparkListenerApplicationStart", "App Name": "synthetic", "App ID": "app-1", "Timestamp": START, "User": "bench"})
        emit(
            {
                "Event": "SparkListenerExecutorAdded",
                "Timestamp": START,
                "Executor ID": "1",
                "Executor Info": {"Host": "host-1", "Total Cores": 8, "Log Urls": {}, "Attributes": {}},
            }
        )
        tid = 0
        stage = 0
        while out.tell() < megabytes * 1_000_000:
            info = {
                "Stage ID": stage,
                "Stage Attempt ID": 0,
                "Stage Name": f"stage at Job.scala:{stage}",
                "Number of Tasks": TASKS_A_STAGE,
                "RDD Info": [],
                "Parent IDs": [],
                "Details": "",
                "Accumulables": [],
            }
            emit(
                {
                    "Event": "SparkListenerJobStart",
                    "Job ID": stage,
                    "Submission Time": START + stage,
                    "Stage Infos": [info],
                    "Stage IDs": [stage],
                    "Properties": {},
                }
            )
            emit({"Event": "SparkListenerStageSubmitted", "Stage Info": {**info, "Submission Time": START + stage}, "Properties": {}})
            for index in range(TASKS_A_STAGE):
                launch = START + stage * 1000 + index
                task = task_info(tid, index, launch, "1")
                emit({"Event": "SparkListenerTaskStart", "Stage ID": stage, "Stage Attempt ID": 0, "Task Info": task})
                emit(
                    {
                        "Event": "SparkListenerTaskEnd",
                        "Stage ID": stage,
                        "Stage Attempt ID": 0,
                        "Task Type": "ShuffleMapTask",
                        "Task End Reason": {"Reason": "Success"},
                        "Task Info": {**task, "Finish Time": launch + 100, "Accumulables": accumulables(seed)},
                        "Task Executor Metrics": executor_metrics,
                        "Task Metrics": {
                            "Executor Deserialize Time": 5,
                            "Executor Deserialize CPU Time": 4_000_000,
                            "Executor Run Time": 90,
                            "Executor CPU Time": 80_000_000,
                            "Peak Execution Memory": 1 << 20,
                            "Result Size": 2_000,
                            "JVM GC Time": 1,
                            "Result Serialization Time": 0,
                            "Memory Bytes Spilled": 0,
                            "Disk Bytes Spilled": 0,
                            "Shuffle Read Metrics": {
                                "Remote Blocks Fetched": 0,
                                "Local Blocks Fetched": 8,
                                "Fetch Wait Time": 0,
                                "Remote Bytes Read": 0,
                                "Remote Bytes Read To Disk": 0,
                                "Local Bytes Read": 4_000,
                                "Total Records Read": 100,
                            },
                            "Shuffle Write Metrics": {
                                "Shuffle Bytes Written": 5_000,
                                "Shuffle Write Time": 1_000_000,
                                "Shuffle Records Written": 100,
                            },
                            "Input Metrics": {"Bytes Read": 0, "Records Read": 0},
                            "Output Metrics": {"Bytes Written": 0, "Records Written": 0},
                            "Updated Blocks": [],
                        },
                    }
                )
                tid += 1
            emit(
                {
                    "Event": "SparkListenerStageCompleted",
                    "Stage Info": {**info, "Submission Time": START + stage, "Completion Time": START + stage + 1},
                }
            )
            emit(
                {
                    "Event": "SparkListenerJobEnd",
                    "Job ID": stage,
                    "Completion Time": START + stage + 1,
                    "Job Result": {"Result": "JobSucceeded"},
                }
            )
            stage += 1
        emit({"Event": "SparkListenerApplicationEnd", "Timestamp": START + stage * 1000})


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
