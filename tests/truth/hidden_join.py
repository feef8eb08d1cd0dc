# SPDX-License-Identifier: Apache-2.0
"""A view of a view hides a join by a key that most rows share. --fixed leaves them out: they have no shop."""

import sys

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Hidden join").config("spark.sql.shuffle.partitions", "12").getOrCreate()
spark.range(0, 4_000_000, 1, 8).selectExpr(
    "if(id % 5 > 0, -1, id % 400) as shop", "sha2(cast(id as string), 256) as receipt"
).createOrReplaceTempView("receipts")
spark.range(-1, 1_000_000).selectExpr("id as shop", "concat('shop ', id) as name").createOrReplaceTempView("shops")
spark.sql(
    f"select r.receipt, s.name from receipts r join shops s on r.shop = s.shop {'and r.shop >= 0' if IS_FIXED else ''}"
).createOrReplaceTempView("named")
spark.sql("select * from named where length(receipt) > 3").createOrReplaceTempView("report")
print("report:", spark.sql("select max(sha2(concat(receipt, name), 512)), count(*) from report").collect())
spark.stop()
