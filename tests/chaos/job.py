# SPDX-License-Identifier: Apache-2.0
"""The job of the chaos test: steps that run in the JVM and in Python by turns, then one line with the result.

Arguments: number of steps, a file to make when the first task has run, and a fault of its own: none, worker-exit (a Python
worker ends at its first attempt), executor-exit (System.exit in an executor) or executor-oom (its heap is too small).
"""

import os
import pathlib
import sys
import time

from pyspark import TaskContext
from pyspark.sql import SparkSession

SECONDS = 0.25  # CPU time per Python task
ROWS = 3_000_000
OWN_FAULTS = {
    "executor-exit": "SELECT java_method('java.lang.System', 'exit', 3) FROM range(1)",
    "executor-oom": "SELECT length(repeat(cast(id + 1 AS string), 2000000000)) FROM range(1)",
}


def burn(partition, ends_worker):
    numbers = list(partition)
    context = TaskContext.get()
    if ends_worker and context.partitionId() == 0 and context.attemptNumber() == 0:
        os._exit(3)
    end = time.process_time() + SECONDS
    while time.process_time() < end:
        sum(range(1000))
    yield sum(numbers)


def executors(spark):
    """Host and port of the driver's and each live executor's block manager."""
    return str(spark.sparkContext._jsc.sc().getExecutorMemoryStatus().keySet())


def main():
    steps, started, fault = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    spark = SparkSession.builder.appName("chaos").getOrCreate()
    result = 0
    for step in range(steps):
        ends_worker = fault == "worker-exit" and step == steps // 2
        result += spark.sparkContext.range(100, numSlices=2).mapPartitions(lambda rows, ends=ends_worker: burn(rows, ends)).sum()
        result += spark.range(0, ROWS, 1, 2).selectExpr("count(if(sqrt(id) % 7 > 3, 1, null))").first()[0]
        started.touch()
        if fault in OWN_FAULTS and step == steps // 2:
            before = executors(spark)
            try:
                spark.sql(OWN_FAULTS[fault]).collect()
            except Exception:  # the job of a user who expects it
                result += 1
            # Spark may still send tasks to an executor that is about to exit. Whether it does is a matter of milliseconds.
            while executors(spark) == before:
                time.sleep(0.1)
    print(f"result {result}")
    spark.stop()


main()
