# SPDX-License-Identifier: Apache-2.0
"""explode() makes a row for each minute of a stay, only to count days. --fixed computes the days."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Exploded days").getOrCreate()
stays = spark.range(0, 40_000, 1, 4).selectExpr("id", "id % 90 as begin", "id % 90 + 1 + id % 3 as end")
if IS_FIXED:
    days = stays.select(F.explode(F.sequence("begin", "end")).alias("day"))
else:
    minutes = stays.select("id", F.explode(F.expr("sequence(begin * 1440, end * 1440)")).alias("minute"))
    days = minutes.select("id", F.floor(F.col("minute") / 1440).alias("day")).distinct()
print("days:", days.groupBy("day").count().orderBy("day").collect()[:3])
spark.stop()
