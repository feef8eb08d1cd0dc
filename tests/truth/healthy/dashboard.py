# SPDX-License-Identifier: Apache-2.0
"""Three reports about one cached table."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("Dashboard").config("spark.sql.shuffle.partitions", "4").getOrCreate()
sales = spark.range(6_000_000, numPartitions=4).select((F.col("id") % 97).alias("shop"), F.rand(2).alias("amount")).cache()
for measure in (F.sum("amount"), F.avg("amount"), F.max("amount")):
    sales.groupBy("shop").agg(measure).orderBy("shop").collect()
spark.stop()
