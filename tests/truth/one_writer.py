# SPDX-License-Identifier: Apache-2.0
"""coalesce(1) makes one file, and one task of all the work before it. --fixed shuffles before the one writer."""

import pathlib
import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("One writer").getOrCreate()
key = F.col("id").cast("string")
for _ in range(6):
    key = F.sha2(key, 512)
hits = spark.range(0, 2_500_000, 1, 8).select("id", key.alias("key")).where("key < '08'")
with tempfile.TemporaryDirectory() as folder:
    (hits.repartition(1) if IS_FIXED else hits.coalesce(1)).write.parquet(str(pathlib.Path(folder) / "hits"))
spark.stop()
