# SPDX-License-Identifier: Apache-2.0
"""A loop collects one query for each of 60 shops. --fixed groups by shop in one query."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Query per key").config("spark.sql.shuffle.partitions", "4").getOrCreate()
sales = spark.range(0, 2_000_000, 1, 4).select((F.hash("id") % 60).alias("shop"), F.col("id").alias("amount"))
totals = {}
if IS_FIXED:
    totals = {row["shop"]: row["total"] for row in sales.groupBy("shop").agg(F.sum("amount").alias("total")).collect()}
else:
    for shop in range(-59, 60):
        totals[shop] = sales.where(F.col("shop") == shop).agg(F.sum("amount").alias("total")).collect()[0]["total"]
print("best:", max(total or 0 for total in totals.values()))
spark.stop()
