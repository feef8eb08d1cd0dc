# SPDX-License-Identifier: Apache-2.0
"""Shuffle data is compressed with zstd at its strongest level. --fixed leaves Spark's default."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

builder = SparkSession.builder.appName("Zstd shuffle").config("spark.sql.shuffle.partitions", "8")
if not IS_FIXED:
    builder = builder.config("spark.io.compression.codec", "zstd").config("spark.io.compression.zstd.level", "19")
spark = builder.getOrCreate()
logs = spark.range(0, 350_000, 1, 8).selectExpr(
    "pmod(hash(id), 30000) as session",
    "concat('GET /item/', hex(hash(id)), '?ref=', hex(hash(id, 9)), '&user=', pmod(hash(id, 4), 50000)) as line",
)
by_session = logs.repartition(8, "session").sortWithinPartitions("session", "line")
pages = by_session.groupBy("session").agg(
    F.max("line").alias("last"), F.count("*").alias("lines"), F.max(F.length("line")).alias("longest")
)
print(pages.selectExpr("count(*)", "sum(lines)", "max(longest)", "max(last)").collect())
spark.stop()
