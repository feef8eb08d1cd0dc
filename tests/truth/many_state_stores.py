# SPDX-License-Identifier: Apache-2.0
"""A streaming query counts few rows in 200 state stores, the default. --fixed has 4."""

import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

builder = SparkSession.builder.appName("Many state stores")
if IS_FIXED:
    builder = builder.config("spark.sql.shuffle.partitions", "4")
spark = builder.getOrCreate()
with tempfile.TemporaryDirectory() as folder:
    for number in range(5):
        spark.range(number * 1_000, number * 1_000 + 1_000, 1, 1).write.mode("append").parquet(f"{folder}/in")
    rows = spark.readStream.schema("id long").option("maxFilesPerTrigger", 1).parquet(f"{folder}/in")
    counts = rows.groupBy((F.col("id") % 100).alias("key")).count()
    query = (
        counts.writeStream.outputMode("complete")
        .format("memory")
        .queryName("counts")
        .option("checkpointLocation", f"{folder}/checkpoint")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    print("keys:", spark.table("counts").count())
spark.stop()
