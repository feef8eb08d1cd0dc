# SPDX-License-Identifier: Apache-2.0
"""Each of 60 tasks writes a file for each of 60 days. --fixed sends the rows of a day to one task first."""

import pathlib
import sys
import tempfile

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Many output files").getOrCreate()
sales = spark.range(0, 300_000, 1, 60).selectExpr("id", "id * 7 % 1000 as amount", "cast(id * 31 % 60 as int) as day")
with tempfile.TemporaryDirectory() as folder:
    if IS_FIXED:
        sales = sales.repartition(4, "day")
    sales.write.partitionBy("day").parquet(str(pathlib.Path(folder) / "sales"))
spark.stop()
