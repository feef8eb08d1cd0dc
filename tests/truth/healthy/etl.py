# SPDX-License-Identifier: Apache-2.0
"""Cleans rows and writes them as Parquet, one file for each core."""

import pathlib
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("ETL").getOrCreate()
with tempfile.TemporaryDirectory() as folder:
    orders = spark.range(12_000_000, numPartitions=4).withColumn("price", F.rand(1) * 100)
    cleaned = orders.where("price > 5").withColumn("day", F.date_add(F.lit("2026-01-01"), (F.col("id") % 30).cast("int")))
    cleaned.write.parquet(str(pathlib.Path(folder, "orders")))
spark.stop()
