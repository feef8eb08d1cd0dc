# SPDX-License-Identifier: Apache-2.0
"""A filter on an expression of a sorted column cannot be pushed to Parquet. --fixed compares the column itself."""

import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Unpushed filter").getOrCreate()
with tempfile.TemporaryDirectory() as folder:
    events = spark.range(0, 4_000_000, 1, 4).select(
        (F.col("id") / 1000).cast("timestamp").alias("moment"),
        *[F.md5((F.col("id") + i).cast("string")).alias(f"note{i}") for i in range(2)],
    )
    events.write.option("parquet.block.size", 8 << 20).parquet(folder + "/events")
    wanted = "moment < timestamp'1970-01-01 00:01:00Z'" if IS_FIXED else "date_format(moment, 'yyyy-MM-dd HH:mm') = '1970-01-01 00:00'"
    for column in ("note0", "note1") * 3:
        print(column, spark.read.parquet(folder + "/events").where(wanted).agg(F.max(column), F.count(column)).collect())
spark.stop()
