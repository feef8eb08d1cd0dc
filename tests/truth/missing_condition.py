# SPDX-License-Identifier: Apache-2.0
"""A SQL query lists two tables and compares only a range, so each row meets each row. --fixed joins by shop, too."""

import sys

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Missing condition").getOrCreate()
spark.range(0, 60_000, 1, 8).selectExpr("id % 500 as shop", "id as moment", "id * 13 % 997 as amount").createOrReplaceTempView("sales")
spark.range(0, 20_000, 1, 4).selectExpr("id % 500 as shop", "id * 3 as since", "id % 40 as discount").createOrReplaceTempView("offers")
condition = "and sales.shop = offers.shop" if IS_FIXED else ""
print("discount:", spark.sql(f"select sum(amount * discount) from sales, offers where sales.moment > offers.since {condition}").collect())
spark.stop()
