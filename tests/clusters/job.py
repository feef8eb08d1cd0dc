# SPDX-License-Identifier: Apache-2.0
"""job.py FOLDER TASKS SECONDS [BYTES]: tasks that compute in Python for that long each, and prints their number.

Each task writes the name of its pod or YARN container to FOLDER/started-PARTITION-ATTEMPT when it begins. With BYTES, the
first attempt of task 0 fills that much memory in that time.
"""

import os
import pathlib
import sys
import time

from pyspark import TaskContext
from pyspark.sql import SparkSession

folder, tasks, seconds = pathlib.Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
greedy_bytes = int(sys.argv[4]) if len(sys.argv) > 4 else 0


def compute_for_seconds(_):
    context = TaskContext.get()
    attempt = context.attemptNumber()
    (folder / f"started-{context.partitionId()}-{attempt}").write_text(
        os.environ.get("SPARK_EXECUTOR_POD_NAME") or os.environ["CONTAINER_ID"]
    )
    wanted_bytes = greedy_bytes if context.partitionId() == 0 and attempt == 0 else 0
    kept = bytearray()
    start = time.monotonic()
    while (passed := time.monotonic() - start) < seconds:
        sum(i * i for i in range(10_000))
        kept += b"x" * (int(wanted_bytes * passed / seconds) - len(kept))
    yield 1


spark = SparkSession.builder.appName("job").getOrCreate()
count = spark.sparkContext.parallelize(range(tasks), tasks).mapPartitions(compute_for_seconds).sum()
print(f"tasks: {count}")
spark.stop()
