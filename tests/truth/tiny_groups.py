# SPDX-License-Identifier: Apache-2.0
"""applyInPandas() is called for each of thousands of groups of few rows. --fixed uses built-in aggregates."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Tiny groups").config("spark.sql.shuffle.partitions", "4").getOrCreate()
visits = spark.range(0, 30_000, 1, 4).selectExpr("id % 7500 as visitor", "id * 31 % 1000 as seconds")


def longest(group):
    return group.nlargest(1, "seconds")


if IS_FIXED:
    print("longest:", visits.groupBy("visitor").agg(F.max("seconds").alias("seconds")).agg(F.sum("seconds")).collect())
else:
    print("longest:", visits.groupBy("visitor").applyInPandas(longest, "visitor long, seconds long").agg(F.sum("seconds")).collect())
spark.stop()
