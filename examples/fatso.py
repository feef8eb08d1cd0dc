# SPDX-License-Identifier: Apache-2.0
"""Riddle: Fatso. Every task keeps what it makes, and the JVM drowns in garbage collection.

What a good report must tell about it:
- Memory and GC: the heap curve climbs to its limit, GC takes a sixth of the tasks' run time and more, and the finding
  says so.
- Allocation flame graph: most of the bytes come from the aggregation that collects lists (`ObjectHashAggregate`,
  `CollectList`, their row copies).
- The cure: aggregate instead of collecting (or more memory per core), with the share of time GC would give back.

Run it with little memory to see it best: spark-submit --driver-memory 700m examples/fatso.py
"""
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def main(rows):
    spark = SparkSession.builder.appName("Fatso").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    wide = spark.range(0, rows, 1, 4).select(
        (F.col("id") % 40).alias("key"),
        F.concat_ws("-", *[F.sha2((F.col("id") + i).cast("string"), 256) for i in range(4)]).alias("payload"),
    )
    hoard = wide.groupBy("key").agg(F.collect_list("payload").alias("all"))
    print("largest hoard:", hoard.select(F.max(F.size("all"))).collect()[0][0])
    spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 900_000)
