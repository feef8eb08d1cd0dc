# SPDX-License-Identifier: Apache-2.0
"""Spark does not know the size of a table made of an RDD, and sorts 6,000,000 rows to join 50. --fixed has a hint."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Missed broadcast").config("spark.sql.adaptive.autoBroadcastJoinThreshold", "-1").getOrCreate()
sales = spark.range(0, 6_000_000, 1, 8).select((F.col("id") * 31 % 50).alias("shop"), F.sha1(F.col("id").cast("string")).alias("receipt"))
shops = spark.createDataFrame(
    spark.sparkContext.parallelize([(number, f"shop {number}") for number in range(50)], 2), "shop long, name string"
)
if IS_FIXED:
    shops = F.broadcast(shops)
print("receipts:", sales.join(shops, "shop").groupBy("name").agg(F.max("receipt")).count())
spark.stop()
