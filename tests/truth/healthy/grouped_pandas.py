# SPDX-License-Identifier: Apache-2.0
"""Standardizes each group with pandas, which computes with arrays."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("Grouped pandas").config("spark.sql.shuffle.partitions", "4").getOrCreate()


def standardize(group):
    return group.assign(value=(group.value - group.value.mean()) / group.value.std())


rows = spark.range(3_000_000, numPartitions=4).select((F.col("id") % 40).alias("key"), F.rand(3).alias("value"))
rows.groupBy("key").applyInPandas(standardize, "key long, value double").agg(F.sum("value")).collect()
spark.stop()
