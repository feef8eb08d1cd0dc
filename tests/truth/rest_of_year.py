# SPDX-License-Identifier: Apache-2.0
"""A window from each row to the last one adds up again, for each row, what is still to pay. --fixed turns the order round."""

import sys

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Rest of year").config("spark.sql.shuffle.partitions", "8").getOrCreate()
spark.sql(
    """create temporary view dues as
       select id % 32 as account, id div 32 as day, pmod(hash(id), 900) as amount from range(0, 288000, 1, 4)"""
)
frame = "order by day rows between current row and unbounded following"
if IS_FIXED:
    frame = "order by day desc rows between unbounded preceding and current row"
print(
    spark.sql(
        f"""with rest as (select account, day, sum(amount) over (partition by account {frame}) as open from dues)
            select count(*) as n, sum(open) as total, max(open) as most from rest where open > 1000"""
    ).collect()
)
spark.stop()
