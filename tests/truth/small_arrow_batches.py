# SPDX-License-Identifier: Apache-2.0
"""Batches of 20 rows for a pandas function. --fixed has the default of 10,000."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DoubleType

IS_FIXED = "--fixed" in sys.argv


@F.pandas_udf(DoubleType())
def with_tax(amount):
    return amount * 1.19


builder = SparkSession.builder.appName("Small Arrow batches")
if not IS_FIXED:
    builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "20")
spark = builder.getOrCreate()
sales = spark.range(0, 500_000, 1, 8).select((F.col("id") % 1000).cast("double").alias("amount"))
print("total:", sales.agg(F.sum(with_tax("amount"))).collect())
spark.stop()
