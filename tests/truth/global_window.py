# SPDX-License-Identifier: Apache-2.0
"""A window without partitionBy() sorts and numbers all rows in one task. --fixed numbers them within each region."""

import sys

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Global window").config("spark.sql.shuffle.partitions", "8").getOrCreate()
orders = spark.range(0, 5_000_000, 1, 8).selectExpr("id", "pmod(hash(id), 64) as region", "hash(id, 7) as amount")
window = Window.partitionBy("region").orderBy("amount") if IS_FIXED else Window.orderBy("amount")
running = orders.select("id", F.row_number().over(window).alias("place"), F.sum("amount").over(window).alias("total"))
print(running.agg(F.max("place"), F.max("total")).collect())
spark.stop()
