# SPDX-License-Identifier: Apache-2.0
"""One query of a second, as of a scheduler that starts many small programs."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("Short").getOrCreate()
spark.range(1_000_000).selectExpr("sum(id)").collect()
spark.stop()
