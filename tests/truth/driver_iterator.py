# SPDX-License-Identifier: Apache-2.0
"""The driver iterates over all rows of a table in a Python loop. --fixed aggregates in Spark."""

import sys

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Driver iterator").getOrCreate()
rows = spark.range(0, 1_200_000, 1, 12).selectExpr("id", "id % 97 as shop", "cast(id * 3 as string) as text")
totals = {}
if IS_FIXED:
    print(rows.groupBy("shop").agg({"text": "max"}).count())
else:
    for row in rows.toLocalIterator():
        best = totals.get(row.shop, 0)
        totals[row.shop] = max(best, sum(int(digit) for digit in row.text))
    print(len(totals))
spark.stop()
