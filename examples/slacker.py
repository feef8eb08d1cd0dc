# SPDX-License-Identifier: Apache-2.0
"""Riddle: Slacker. The tasks are slow, yet nobody works: they sleep, as they would on a slow web service.

What a good report must tell about it:
- Run time is many times CPU time in the sleeping stage: its tasks wait.
- The wall-clock flame graph shows where: the JVM waits for Python, and Python sleeps.
- The CPU flame graph is nearly empty: tuning the code would win nothing.
- The cure: fewer or concurrent calls per task, or more tasks at once.
"""
import sys
import time

from pyspark.sql import SparkSession


def call_service(rows):
    for row in rows:
        time.sleep(0.05)
        yield row * 2


def main(calls):
    spark = SparkSession.builder.appName("Slacker").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    print("answers:", spark.sparkContext.parallelize(range(calls), 8).mapPartitions(call_service).count())
    spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
