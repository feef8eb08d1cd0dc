# SPDX-License-Identifier: Apache-2.0
"""Most visits have no customer, and a window by customer sorts all of them in one task. --fixed leaves them out."""

import sys

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Null window").config("spark.sql.shuffle.partitions", "8").getOrCreate()
visits = spark.range(0, 3_000_000, 1, 8).select(
    F.when(F.col("id") % 6 == 0, F.col("id") % 5_000).alias("customer"),
    F.hash("id").alias("moment"),
    F.sha2(F.col("id").cast("string"), 256).alias("page"),
)
if IS_FIXED:
    visits = visits.where("customer is not null")
by_time = Window.partitionBy("customer").orderBy("moment")
print(
    "pauses:",
    visits.select((F.col("moment") - F.lag("moment").over(by_time)).alias("pause"), F.lag("page").over(by_time).alias("before"))
    .agg(F.max("pause"), F.max("before"))
    .collect(),
)
spark.stop()
