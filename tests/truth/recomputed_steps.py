# SPDX-License-Identifier: Apache-2.0
"""A program counts the rows after each step, and each count computes all steps before it again. --fixed counts once."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv


def report(step, rows):
    if not IS_FIXED:
        print(step, rows.count())


spark = SparkSession.builder.appName("Recomputed steps").config("spark.sql.shuffle.partitions", "8").getOrCreate()
rows = spark.range(0, 6_000_000, 1, 8).withColumn("key", F.sha2(F.col("id").cast("string"), 256))
report("read", rows.where("key > '0'"))
rows = rows.where("key > '1'").dropDuplicates(["key"])
report("distinct", rows)
rows = rows.withColumn("group", F.substring("key", 1, 2))
report("group", rows.where("group <> '00'"))
rows = rows.where("group < 'e0'")
report("filter", rows)
print("rows:", rows.groupBy("group").count().agg(F.sum("count")).collect())
spark.stop()
