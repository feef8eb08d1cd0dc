# SPDX-License-Identifier: Apache-2.0
"""A loop fetches the rows of each day with toPandas() and sums them up in the driver. --fixed sums up in Spark."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Pandas per day").getOrCreate()
sales = spark.range(0, 1_500_000, 1, 4).select(
    (F.col("id") % 12).alias("day"), F.rand(3).alias("amount"), F.col("id").cast("string").alias("note")
)
if IS_FIXED:
    print(sales.groupBy("day").agg(F.sum("amount"), F.max("note")).collect())
else:
    for day in range(12):
        rows = sales.where(F.col("day") == day).toPandas()
        print(day, rows["amount"].sum(), max(len(note) for note in rows["note"]))
spark.stop()
