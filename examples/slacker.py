# SPDX-License-Identifier: Apache-2.0
"""Riddle: Slacker. The tasks are slow, yet nobody works: they sleep, as they would on a slow web service.

What the report should show:
- Run time is many times CPU time in the sleeping stage: its tasks wait.
- The wall-clock flame graph shows where: the JVM waits for Python, and Python sleeps.
- The CPU flame graph is nearly empty: tuning the code would gain nothing.
- The fix: fewer or concurrent calls per task, or more tasks at once.

slacker.py [CALLS] [--fixed]   --fixed makes 50 calls at once.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

from pyspark.sql import SparkSession


def call_service(rows):
    for row in rows:
        time.sleep(0.05)
        yield row * 2


def call_service_at_once(rows):
    with ThreadPoolExecutor(50) as pool:
        yield from pool.map(lambda row: next(call_service([row])), rows)


def main(calls, is_fixed):
    spark = SparkSession.builder.appName("Slacker").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    print(
        "answers:",
        spark.sparkContext.parallelize(range(calls), 8).mapPartitions(call_service_at_once if is_fixed else call_service).count(),
    )
    spark.stop()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 400, "--fixed" in sys.argv)
