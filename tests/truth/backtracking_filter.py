# SPDX-License-Identifier: Apache-2.0
"""A pattern of rlike() backtracks on each row, in the JVM. --fixed has no repetition of any character."""

import sys

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Backtracking filter").getOrCreate()
lines = spark.range(0, 600, 1, 6).selectExpr("concat(repeat('a ', 40), id) as line")
pattern = "^[^=]* [^=]*=" if IS_FIXED else ".* .* .* .*="
print("settings:", lines.where(lines.line.rlike(pattern)).count())
spark.stop()
