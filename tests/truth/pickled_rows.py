# SPDX-License-Identifier: Apache-2.0
"""A cheap Python function gets 4,000,000 rows one by one, pickled. --fixed uses an expression of Spark."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DoubleType

IS_FIXED = "--fixed" in sys.argv


@F.udf(DoubleType())
def with_tax(amount):
    return amount * 1.19


spark = SparkSession.builder.appName("Pickled rows").getOrCreate()
sales = spark.range(0, 4_000_000, 1, 8).select((F.col("id") % 1000).cast("double").alias("amount"))
price = F.col("amount") * 1.19 if IS_FIXED else with_tax("amount")
print("total:", sales.agg(F.sum(price)).collect())
spark.stop()
