# SPDX-License-Identifier: Apache-2.0
"""Jobs without a problem: healthy.py aggregate|join|words|files."""

import pathlib
import sys
import tempfile
from operator import add

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def aggregate(spark):
    return spark.range(0, 12_000_000, 1, 8).groupBy((F.col("id") % 1000).alias("key")).agg(F.sum(F.hash("id")), F.max("id")).count()


def join(spark):
    sales = spark.range(0, 2_000_000, 1, 8).select((F.col("id") * 31 % 500_000).alias("customer"), F.col("id").alias("amount"))
    customers = spark.range(500_000).select(F.col("id").alias("customer"), (F.col("id") % 50).alias("region"))
    return sales.join(customers, "customer").groupBy("region").agg(F.sum("amount")).count()


def words(spark):
    lines = spark.sparkContext.parallelize(range(60_000), 8).map(lambda i: " ".join(f"word-{i * k % 500}" for k in range(6)))
    return lines.flatMap(str.split).map(lambda word: (word, 1)).reduceByKey(add).count()


def files(spark):
    with tempfile.TemporaryDirectory() as folder:
        table = str(pathlib.Path(folder) / "table")
        spark.range(0, 3_000_000, 1, 4).select("id", F.sha2(F.col("id").cast("string"), 256).alias("text")).write.parquet(table)
        return spark.read.parquet(table).where("id % 3 = 0").agg(F.max("text")).count()


if __name__ == "__main__":
    session = SparkSession.builder.appName(f"Healthy {sys.argv[1]}").config("spark.sql.shuffle.partitions", "8").getOrCreate()
    print("rows:", {"aggregate": aggregate, "join": join, "words": words, "files": files}[sys.argv[1]](session))
    session.stop()
