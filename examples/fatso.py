# SPDX-License-Identifier: Apache-2.0
"""Riddle: Fatso. Every task keeps what it makes, and the JVM drowns in garbage collection.

What the report should show:
- Memory and GC: the heap curve climbs to its limit, GC takes a seventh of the tasks' run time and more, and the finding
  says so.
- Allocation flame graph: most of the bytes come from the aggregation that collects lists (`ObjectHashAggregate`,
  `CollectList`, their row copies).
- The fix: aggregate instead of collecting (or more memory per core), with the share of time GC would give back.

Run it with little memory to see it best: spark-submit --driver-memory 600m examples/fatso.py [ROWS] [--fixed]
--fixed counts the rows instead of collecting them.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def main(rows, is_fixed):
    spark = SparkSession.builder.appName("Fatso").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    wide = spark.range(0, rows, 1, 4).select(
        (F.col("id") % 40).alias("key"),
        F.concat_ws("-", *[F.sha2((F.col("id") + i).cast("string"), 256) for i in range(4)]).alias("payload"),
    )
    if is_fixed:
        hoard = wide.groupBy("key").agg(F.count("payload").alias("size"))
    else:
        hoard = wide.groupBy("key").agg(F.collect_list("payload").alias("all")).select(F.size("all").alias("size"))
    print("largest hoard:", hoard.select(F.max("size")).collect()[0][0])
    spark.stop()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 2_000_000, "--fixed" in sys.argv)
