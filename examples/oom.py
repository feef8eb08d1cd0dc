# SPDX-License-Identifier: Apache-2.0
"""Out of memory. One task collects all rows of a group in memory, more than the JVM's heap holds.

What the report should show:
- The job failed with an OutOfMemoryError (`oom`): the stage, the heap's size, and what filled it.
- The fix: aggregate without collecting the rows.

Run it with a small heap: spark-submit --driver-memory 512m oom.py [ROWS] [--fixed]   --fixed counts the rows.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def main(rows, is_fixed):
    spark = SparkSession.builder.appName("Out of memory").config("spark.sql.shuffle.partitions", "2").getOrCreate()
    events = spark.range(0, rows, 1, 4).select((F.col("id") % 2).alias("group"), F.repeat(F.col("id").cast("string"), 40).alias("text"))
    value = F.count("text") if is_fixed else F.size(F.collect_list("text"))
    print("events:", events.groupBy("group").agg(value).collect())
    spark.stop()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 3_000_000, "--fixed" in sys.argv)
