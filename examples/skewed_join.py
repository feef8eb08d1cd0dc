# SPDX-License-Identifier: Apache-2.0
"""Skewed join. One region has nineteen of twenty orders, and the join sends all of them to one task.

What the report should show:
- In the stage of the join, one task reads several times the records of the median task (`skew`).
- The fix: let adaptive execution split the partition, or salt the key. The other side is too large to broadcast.

skewed_join.py [ORDERS] [--fixed]   --fixed lets adaptive execution split partitions from 1 MiB on.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

REGIONS = 1_000_000


def main(orders, is_fixed):
    builder = (
        SparkSession.builder.appName("Skewed join")
        .config("spark.sql.shuffle.partitions", "8")
        .config("spark.sql.autoBroadcastJoinThreshold", "-1")
        .config("spark.sql.adaptive.enabled", str(is_fixed).lower())
    )
    if is_fixed:
        builder = builder.config("spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", "1m").config(
            "spark.sql.adaptive.advisoryPartitionSizeInBytes", "2m"
        )
    spark = builder.getOrCreate()
    sales = spark.range(0, orders, 1, 8).select(
        F.when(F.col("id") % 20 == 0, F.concat(F.lit("region-"), F.col("id") % REGIONS)).otherwise(F.lit("region-3")).alias("region"),
        F.col("id").alias("amount"),
    )
    regions = spark.range(REGIONS).select(F.concat(F.lit("region-"), F.col("id")).alias("region"), F.col("id").alias("manager"))
    joined = sales.join(regions, "region")
    receipt = F.concat("region", "manager", "amount").cast("string")
    for _ in range(6):
        receipt = F.sha2(receipt, 256)
    print("receipts:", joined.select(F.max(receipt)).collect())
    spark.stop()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 6_000_000, "--fixed" in sys.argv)
