# SPDX-License-Identifier: Apache-2.0
"""A table is cached with all its columns, and read once. --fixed does not cache it."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Unread cache").getOrCreate()
texts = spark.range(0, 3_000_000, 1, 8).select("id", *[F.sha2((F.col("id") + i).cast("string"), 256).alias(f"text{i}") for i in range(4)])
if not IS_FIXED:
    texts = texts.cache()
print("texts:", texts.agg(F.max("text0"), F.count("id")).collect())
spark.stop()
