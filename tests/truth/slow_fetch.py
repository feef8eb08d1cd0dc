# SPDX-License-Identifier: Apache-2.0
"""Reducers ask for one small block at a time from the other host. --fixed has Spark's defaults. Needs a cluster."""

import sys

from pyspark.conf import SparkConf
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

conf = SparkConf().setAppName("Slow fetch").set("spark.sql.shuffle.partitions", "8").set("spark.sql.adaptive.enabled", "false")
if not IS_FIXED:
    conf = conf.set("spark.reducer.maxReqsInFlight", "1").set("spark.reducer.maxSizeInFlight", "1k").set("spark.shuffle.file.buffer", "1k")
spark = SparkSession.builder.config(conf=conf).getOrCreate()
texts = spark.range(0, 1_500_000, 1, 400).select("id", F.sha2(F.col("id").cast("string"), 256).alias("text"))
print("texts:", texts.repartition(8, "id").agg(F.max("text")).collect())
spark.stop()
