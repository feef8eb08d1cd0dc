# SPDX-License-Identifier: Apache-2.0
"""The function of applyInPandas waits between groups, as for a rate limit. --fixed does not wait."""

import sys
import time

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv


def send_report(group):
    if not IS_FIXED:
        time.sleep(0.25)
    return group.groupby("shop", as_index=False)["amount"].sum()


spark = SparkSession.builder.appName("Sleep in groups").config("spark.sql.shuffle.partitions", "8").getOrCreate()
sales = spark.range(0, 200_000, 1, 8).selectExpr("id % 80 as shop", "id as amount")
print("shops:", sales.groupBy("shop").applyInPandas(send_report, "shop long, amount long").count())
spark.stop()
