# SPDX-License-Identifier: Apache-2.0
"""A loop adds to a DataFrame and looks at it in each round, and the plan grows. --fixed cuts it with a checkpoint."""

import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Growing plan").config("spark.sql.shuffle.partitions", "2").getOrCreate()
spark.sparkContext.setCheckpointDir(tempfile.mkdtemp())
ranks = spark.range(0, 2_000, 1, 2).select("id", F.lit(1.0).alias("rank"))
for round_number in range(9):
    spread = ranks.select((F.col("id") * 7 % 2_000).alias("id"), (F.col("rank") * 0.5).alias("gain"))
    ranks = ranks.join(spread.groupBy("id").agg(F.sum("gain").alias("gain")), "id", "left").select(
        "id", (F.col("rank") * 0.5 + F.coalesce("gain", F.lit(0))).alias("rank")
    )
    if IS_FIXED:
        ranks = ranks.localCheckpoint()
    print(round_number, ranks.agg(F.max("rank")).collect())
spark.stop()
