# SPDX-License-Identifier: Apache-2.0
"""A hint broadcasts a table of 1,500,000 rows for a join with a smaller one. --fixed has no hint."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Large broadcast").config("spark.sql.shuffle.partitions", "8").getOrCreate()
customers = spark.range(0, 1_500_000, 1, 8).select("id", F.sha2(F.col("id").cast("string"), 256).alias("address"))
orders = spark.range(0, 600_000, 1, 8).select((F.col("id") * 37 % 1_500_000).alias("id"), F.col("id").alias("amount"))
if not IS_FIXED:
    customers = F.broadcast(customers)
print("addresses:", orders.join(customers, "id").agg(F.max("address"), F.sum("amount")).collect())
spark.stop()
