# SPDX-License-Identifier: Apache-2.0
"""Tiny tasks. The data has far more partitions than the cores can use, and each task takes a few milliseconds.

What the report should show:
- One stage has thousands of tasks; starting them costs more than their work (`tiny-tasks`).
- The fix: fewer partitions, with their number.

tiny_tasks.py [PARTITIONS] [--fixed]   --fixed uses 8 partitions.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def main(partitions, is_fixed):
    spark = SparkSession.builder.appName("Tiny tasks").getOrCreate()
    numbers = spark.range(0, 4_000_000, 1, 8 if is_fixed else partitions)
    print("sum:", numbers.select(F.sum(F.hash("id"))).collect())
    spark.stop()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 3_000, "--fixed" in sys.argv)
