# SPDX-License-Identifier: Apache-2.0
"""spark.read.csv reads the whole file once more to infer its types. --fixed gives the schema."""

import pathlib
import sys
import tempfile

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("CSV inference").getOrCreate()
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "sales.csv"
    row = ",2026-01-{:02} 10:00:00,{},{},{:.2f},shop {}\n"
    path.write_text("".join(str(i) + row.format(i % 28 + 1, i % 91, i * 7 % 1000, i / 7, i % 300) for i in range(1_500_000)))
    columns = "id int, moment timestamp, seller int, amount int, share double, shop string"
    sales = spark.read.csv(str(path), schema=columns) if IS_FIXED else spark.read.csv(str(path), inferSchema=True)
    print("rows:", sales.count())
spark.stop()
