# SPDX-License-Identifier: Apache-2.0
"""A window over all orders of a few customers needs more memory than the executor has. --fixed keeps the last orders only."""

import sys

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = (
    SparkSession.builder.appName("Ranked orders")
    .config("spark.sql.shuffle.partitions", "4")
    .config("spark.sql.adaptive.enabled", "false")
    .getOrCreate()
)
orders = spark.range(0, 3_000_000, 1, 4).select(
    (F.col("id") % 4).alias("customer"), F.hash("id").alias("moment"), F.repeat(F.sha2(F.col("id").cast("string"), 256), 3).alias("text")
)
if IS_FIXED:
    orders = orders.where("moment > 2000000000")
ranked = orders.select("text", F.row_number().over(Window.partitionBy("customer").orderBy("moment")).alias("rank"))
print("last:", ranked.agg(F.max("rank"), F.max("text")).collect())
spark.stop()
