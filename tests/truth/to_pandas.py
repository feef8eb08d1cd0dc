# SPDX-License-Identifier: Apache-2.0
"""A program fetches 1,500,000 rows to pandas for the mean of one column. --fixed computes the mean in Spark."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("To pandas").config("spark.driver.maxResultSize", "2g").getOrCreate()
sales = spark.range(0, 1_500_000, 1, 8).select(
    "id", F.md5(F.col("id").cast("string")).alias("note"), (F.col("id") * 7 % 1000).alias("amount")
)
print("mean:", sales.agg(F.mean("amount")).collect() if IS_FIXED else sales.toPandas()["amount"].mean())
spark.stop()
