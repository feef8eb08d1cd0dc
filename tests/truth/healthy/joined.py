# SPDX-License-Identifier: Apache-2.0
"""A join of a large table with a small one, which Spark broadcasts."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("Joined").getOrCreate()
shops = spark.range(200).withColumnRenamed("id", "shop").withColumn("city", F.col("shop") % 20)
sales = spark.range(20_000_000, numPartitions=4).select((F.col("id") % 200).alias("shop"), F.rand(9).alias("amount"))
sales.join(shops, "shop").groupBy("city").agg(F.sum("amount")).collect()
spark.stop()
