# SPDX-License-Identifier: Apache-2.0
"""Fits a line in 8 rounds over cached rows, and sums up in Spark."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("Training").getOrCreate()
points = spark.range(8_000_000, numPartitions=2).select(F.rand(4).alias("x")).withColumn("y", 3 * F.col("x") + F.randn(5)).cache()
slope = 0.0
for _ in range(8):
    gradient = points.agg(F.avg((F.lit(slope) * F.col("x") - F.col("y")) * F.col("x"))).first()[0]
    slope -= 2 * gradient
print(slope)
spark.stop()
