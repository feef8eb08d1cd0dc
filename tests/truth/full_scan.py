# SPDX-License-Identifier: Apache-2.0
"""Queries for one day filter by the text of a time, and read the partitions of all days. --fixed also names the day."""

import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Full scan").config("spark.sql.shuffle.partitions", "8").getOrCreate()
with tempfile.TemporaryDirectory() as folder:
    sales = spark.range(0, 3_000_000, 1, 4).select(
        "id",
        F.sha2(F.col("id").cast("string"), 256).alias("note"),
        F.concat(F.lit("day "), F.col("id") % 40, F.lit(", second "), F.col("id") % 86_400).alias("moment"),
        (F.col("id") % 40).cast("int").alias("day"),
    )
    sales.repartition(8, "day").write.partitionBy("day").parquet(f"{folder}/sales")
    spark.read.parquet(f"{folder}/sales").createOrReplaceTempView("sales")
    wanted = "substring(moment, 1, 7) = 'day 17,'" + (" and day = 17" if IS_FIXED else "")
    for _ in range(8):
        print("notes:", spark.sql(f"select max(sha2(note, 512)), count(*) from sales where {wanted}").collect())
spark.stop()
