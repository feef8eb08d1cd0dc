# SPDX-License-Identifier: Apache-2.0
"""A loop unions hundreds of small tables to one query, which Spark plans for longer than it runs. --fixed makes one table."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Union of months").getOrCreate()


def month(number):
    table = spark.range(100).withColumn("month", F.lit(number))
    for column in range(6):
        table = table.withColumn(f"value_{column}", F.col("id") * column + number)
    return table


if IS_FIXED:
    months = spark.range(25_000).selectExpr("id % 100 as id", "id div 100 as month", "id % 100 * 3 as value_3")
else:
    months = month(0)
    for number in range(1, 250):
        months = months.union(month(number))
print("months:", months.coalesce(2).agg(F.sum("value_3"), F.countDistinct("month")).collect())
spark.stop()
