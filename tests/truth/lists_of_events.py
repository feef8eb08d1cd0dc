# SPDX-License-Identifier: Apache-2.0
"""collect_list() of all events of a user needs more heap than an executor has. --fixed counts them. Needs a cluster."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Lists of events").config("spark.sql.shuffle.partitions", "4").getOrCreate()
events = spark.range(0, 12_000_000, 1, 8).select((F.col("id") % 2).alias("user"), F.sha2(F.col("id").cast("string"), 512).alias("event"))
answer = F.count("event") if IS_FIXED else F.size(F.sort_array(F.collect_list("event")))
print("events:", events.groupBy("user").agg(answer).collect())
spark.stop()
