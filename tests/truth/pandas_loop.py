# SPDX-License-Identifier: Apache-2.0
"""A program fetches a table to pandas and loops over its rows in the driver. --fixed computes in Spark."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv


def rate(row):
    return row["amount"] * (0.9 if row["shop"] % 7 else 1.1) + len(str(row["id"]))


def best(sales):
    scores = {}
    for _, row in sales.toPandas().iterrows():
        scores[row["shop"]] = scores.get(row["shop"], 0) + rate(row)
    return max(scores.values())


spark = SparkSession.builder.appName("Pandas loop").config("spark.sql.execution.arrow.pyspark.enabled", "true").getOrCreate()
for year in range(3):
    sales = spark.range(0, 150_000, 1, 8).select("id", (F.col("id") % 50).alias("shop"), (F.col("id") * (7 + year) % 1000).alias("amount"))
    if IS_FIXED:
        score = F.col("amount") * F.when(F.col("shop") % 7 != 0, 0.9).otherwise(1.1) + F.length(F.col("id").cast("string"))
        print(year, sales.groupBy("shop").agg(F.sum(score).alias("score")).agg(F.max("score")).collect())
    else:
        print(year, best(sales))
spark.stop()
