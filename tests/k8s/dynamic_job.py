# SPDX-License-Identifier: Apache-2.0
"""dynamic_job.py FOLDER: two jobs with a shuffle, the second when no executor is left; prints the number of their tasks.

Each task of the first stages writes the name of its pod to FOLDER/ran-JOB-PARTITION.
"""

import os
import pathlib
import sys
import time

from pyspark import TaskContext
from pyspark.sql import SparkSession

TASKS = 2
SECONDS = 5
DEADLINE_SECONDS = 120
folder = pathlib.Path(sys.argv[1])


def compute_for_seconds(job):
    def compute(_):
        partition = TaskContext.get().partitionId()
        (folder / f"ran-{job}-{partition}").write_text(os.environ["SPARK_EXECUTOR_POD_NAME"])
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            sum(i * i for i in range(10_000))
        yield partition, 1

    return compute


spark = SparkSession.builder.appName("job").getOrCreate()
context = spark.sparkContext


def await_no_executors():
    deadline = time.monotonic() + DEADLINE_SECONDS
    while context._jsc.sc().getExecutorMemoryStatus().size() > 1:  # the driver is one of them
        if time.monotonic() > deadline:
            sys.exit("executors are left")
        time.sleep(0.2)


count = 0
for number in range(2):
    if number > 0:
        await_no_executors()
    count += context.parallelize(range(TASKS), TASKS).mapPartitions(compute_for_seconds(number)).groupByKey(1).count()
print(f"tasks: {count}")
spark.stop()
