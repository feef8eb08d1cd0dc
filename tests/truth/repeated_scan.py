# SPDX-License-Identifier: Apache-2.0
"""Six SQL queries parse the same CSV file, each from the start. --fixed caches the table."""

import pathlib
import sys
import tempfile

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Repeated scan").getOrCreate()
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "sales.csv"
    path.write_text("".join(f"{i},shop {i % 300},{i * 7 % 1000},{i % 365},{i * 13 % 77},note {i}\n" for i in range(1_200_000)))
    spark.read.schema("id long, shop string, amount double, day int, seller int, note string").csv(str(path)).createOrReplaceTempView(
        "sales"
    )
    if IS_FIXED:
        spark.sql("cache table sales")
    for column in ("shop", "day", "seller", "amount", "id % 100", "length(note)"):
        print(column, spark.sql(f"select {column} as key, sum(amount) as total from sales group by 1 order by 2 desc limit 1").collect())
spark.stop()
