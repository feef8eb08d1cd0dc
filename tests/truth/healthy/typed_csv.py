# SPDX-License-Identifier: Apache-2.0
"""Reads CSV files with a schema, each once."""

import pathlib
import tempfile

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("Typed CSV").getOrCreate()
with tempfile.TemporaryDirectory() as folder:
    path = str(pathlib.Path(folder, "visits"))
    spark.range(4_000_000, numPartitions=4).selectExpr("id", "id % 100 page", "rand(7) seconds").write.csv(path)
    spark.read.csv(path, schema="id long, page long, seconds double").groupBy("page").avg("seconds").collect()
spark.stop()
