# SPDX-License-Identifier: Apache-2.0
"""Burns CPU in Python workers in known shares: 70, 20 and 10 %. Prints "task TID CPU_NS WORKER_NS" for each task of the RDD
part, by the worker's own clock: of the function that burns, and of the worker, which is new, since it began; and "heavy CPU_NS"
of all calls of the UDF."""

import sys
import time

from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf


def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for _ in range(2000):
            pass


def seventy(seconds):
    spin(seconds * 0.7)


def twenty(seconds):
    spin(seconds * 0.2)


def ten(seconds):
    spin(seconds * 0.1)


def burn_partition(rows):
    begin = time.process_time_ns()
    for seconds in rows:
        for _ in range(10):
            seventy(seconds / 10)
            twenty(seconds / 10)
            ten(seconds / 10)
    end = time.process_time_ns()
    yield TaskContext.get().taskAttemptId(), end - begin, end


def heavy(_):
    begin = time.thread_time_ns()
    spin(0.0004)
    return time.thread_time_ns() - begin


def main(seconds, rows):
    spark = SparkSession.builder.getOrCreate()
    for task, cpu_ns, worker_ns in spark.sparkContext.parallelize([seconds] * 2, 2).mapPartitions(burn_partition).collect():
        print(f"task {task} {cpu_ns} {worker_ns}", flush=True)
    heavy_udf = udf(heavy, "long")
    frame = spark.range(0, rows, 1, 2).select(heavy_udf("id").alias("v"))
    print("heavy", frame.agg({"v": "sum"}).collect()[0][0], flush=True)
    spark.stop()


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
