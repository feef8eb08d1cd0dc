# SPDX-License-Identifier: Apache-2.0
"""Spill. Too little execution memory for the data of a task: it is sorted in many runs on disk.

What the report should show:
- The tasks of the sort write more to disk than they read (`spill`).
- The fix: more memory for execution, or more partitions.

spill.py [ROWS] [--fixed]   --fixed leaves execution memory at Spark's default and uses more partitions.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def main(rows, is_fixed):
    builder = SparkSession.builder.appName("Spill").config("spark.sql.adaptive.enabled", "false")
    if not is_fixed:
        builder = builder.config("spark.memory.fraction", "0.06")
    spark = builder.config("spark.sql.shuffle.partitions", "16" if is_fixed else "2").getOrCreate()
    lines = spark.range(0, rows, 1, 4).select(F.hash("id").alias("key"), F.sha2(F.col("id").cast("string"), 512).alias("text"))
    lines.repartition("key").sortWithinPartitions("text").write.format("noop").mode("overwrite").save()
    spark.stop()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 2_500_000, "--fixed" in sys.argv)
