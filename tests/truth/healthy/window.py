# SPDX-License-Identifier: Apache-2.0
"""The latest order of each of 50,000 customers, by a window over even partitions."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("Window").config("spark.sql.shuffle.partitions", "4").getOrCreate()
orders = spark.range(3_000_000, numPartitions=4).select((F.col("id") % 50_000).alias("customer"), F.rand(6).alias("time"))
latest = orders.withColumn("rank", F.row_number().over(Window.partitionBy("customer").orderBy(F.desc("time")))).where("rank = 1")
latest.write.format("noop").mode("overwrite").save()
spark.stop()
