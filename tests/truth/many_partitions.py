# SPDX-License-Identifier: Apache-2.0
"""repartition(2000) of a small table before an aggregation. --fixed has no repartition."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Many partitions").getOrCreate()
sales = spark.range(0, 400_000, 1, 4).select((F.col("id") % 100).alias("shop"), F.col("id").alias("amount"))
if not IS_FIXED:
    sales = sales.repartition(2_000)
print("shops:", sales.groupBy("shop").agg(F.sum("amount")).count())
spark.stop()
