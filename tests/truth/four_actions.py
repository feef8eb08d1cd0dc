# SPDX-License-Identifier: Apache-2.0
"""Four actions compute the same joined and aggregated DataFrame, each from the start. --fixed caches it."""

import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Four actions").config("spark.sql.shuffle.partitions", "4").getOrCreate()
with tempfile.TemporaryDirectory() as folder:
    spark.range(0, 1_500_000, 1, 4).selectExpr("id", "id % 5000 as customer", "sha2(cast(id as string), 256) as text").write.parquet(
        f"{folder}/sales"
    )
    sales = spark.read.parquet(f"{folder}/sales")
    profile = sales.groupBy("customer").agg(
        F.count("*").alias("n"), F.max(F.sha2(F.repeat("text", 6), 512)).alias("last"), F.countDistinct("text").alias("texts")
    )
    if IS_FIXED:
        profile = profile.cache()
    print(profile.count())
    print(profile.where("n > 10").count())
    print(profile.agg(F.max("texts")).collect())
    profile.write.parquet(f"{folder}/profile")
spark.stop()
