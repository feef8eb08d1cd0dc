# SPDX-License-Identifier: Apache-2.0
"""A program runs 16 tasks at once on two cores. --fixed uses the master that it is given."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

builder = SparkSession.builder.appName("Too many threads").config("spark.sql.shuffle.partitions", "16")
spark = (builder if IS_FIXED else builder.master("local[16]")).getOrCreate()
key = F.col("id").cast("string")
for _ in range(4):
    key = F.sha2(key, 256)
print("keys:", spark.range(0, 6_000_000, 1, 64).groupBy((F.col("id") % 1000).alias("group")).agg(F.max(key)).count())
spark.stop()
