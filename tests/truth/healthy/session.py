# SPDX-License-Identifier: Apache-2.0
"""A person in a shell: queries, and pauses to read their answers."""

import time

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("PySparkShell").getOrCreate()
for divisor in (7, 11, 13):
    spark.range(20_000_000).groupBy(F.col("id") % divisor).count().collect()
    time.sleep(4)
spark.stop()
