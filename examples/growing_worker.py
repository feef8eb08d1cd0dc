# SPDX-License-Identifier: Apache-2.0
"""Riddle: growing worker. A function on the Python side keeps every row that it has seen, and its worker grows from task to task.

What the report should show:
- Processes over time: the resident memory of one Python worker climbs with each task and never falls; the JVM's does not.
- The finding `worker-growth`: the worker, its growth per task, and `remember`, the line that ran while it grew.
- The fix: keep a summary of what was seen, not the rows.

growing_worker.py [MEGABYTES] [--fixed]   --fixed counts the rows.
"""

import sys

from pyspark.sql import SparkSession

TASKS = 8
ROW_BYTES = 10_000
seen = []


def remember(number):
    seen.append(bytearray(str(number).encode()) * (ROW_BYTES // len(str(number))))
    return len(seen)


def count(number):
    return len(str(number))


def main(megabytes, is_fixed):
    spark = SparkSession.builder.appName("Growing worker").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    # Workers import this file, as they do a library: what is global in it lives as long as they do.
    spark.sparkContext.addPyFile(__file__)
    import growing_worker

    rows = spark.sparkContext.range(megabytes * 1_000_000 // ROW_BYTES, numSlices=TASKS)
    print("most:", rows.map(growing_worker.count if is_fixed else growing_worker.remember).max())
    spark.stop()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 600, "--fixed" in sys.argv)
