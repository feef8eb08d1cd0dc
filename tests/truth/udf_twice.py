# SPDX-License-Identifier: Apache-2.0
"""A column of a costly function is filtered and selected: Spark calls the function for the filter and again for the column.
--fixed keeps the optimizer from copying it."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Udf twice").getOrCreate()


@F.udf("long")
def risk(number):
    value = number
    for _ in range(120):
        value = (value * 1103515245 + 12345) % 2147483648
    return value % 1000


score = risk.asNondeterministic() if IS_FIXED else risk
contracts = spark.range(0, 600_000, 1, 4).withColumn("risk", score("id"))
risky = contracts.where("risk > 300")
print(risky.selectExpr("count(*)", "sum(risk)", "max(id)").collect())
spark.stop()
