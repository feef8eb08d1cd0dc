# SPDX-License-Identifier: Apache-2.0
"""A join by a range of numbers compares each row with each range. --fixed joins by the block of numbers, too."""

import sys

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Range join").getOrCreate()
spark.range(0, 400_000, 1, 4).selectExpr("id as number", "id * 7919 % 4000000 as address").createOrReplaceTempView("calls")
spark.range(4_000).selectExpr("id as owner", "id * 1000 as first", "id * 1000 + 999 as last").createOrReplaceTempView("blocks")
same_block = "and c.address div 1000 = b.first div 1000" if IS_FIXED else ""
print(
    "owners:",
    spark.sql(
        f"""
        select count(distinct owner), count(*)
        from calls c join blocks b on c.address between b.first and b.last {same_block}
        """
    ).collect(),
)
spark.stop()
