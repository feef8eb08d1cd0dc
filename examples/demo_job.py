# SPDX-License-Identifier: Apache-2.0
"""The demo: orders joined to customers, aggregated, and scored by a Python UDF.

What the report should show:
- Most of the CPU is in the stage that reads and joins the orders; one of its tasks (or, where adaptive execution splits
  it, a few) handles customer 0, who has a third of all orders, and runs several times longer than the median.
- The stage with the UDF waits for Python: its JVM threads sit in the Python runner's read while `risk_score` burns CPU.
- Everything else (driver, scheduling, GC) is small.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DoubleType


def risk_score(amount, orders):
    """Deliberately plain Python: a small iteration for each row."""
    score = 0.0
    for step in range(300):
        score = (score * 0.93 + amount * (step % 7)) % 1000.003
    return score / max(orders, 1)


def main(rows):
    spark = (
        SparkSession.builder.appName("sparkprof demo")
        .config("spark.sql.shuffle.partitions", "8")
        .config("spark.sql.autoBroadcastJoinThreshold", "-1")
        .config("spark.sql.adaptive.coalescePartitions.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    customers = spark.range(50_000).select(
        F.col("id").alias("customer"), F.concat(F.lit("region-"), (F.col("id") % 25).cast("string")).alias("region")
    )
    orders = spark.range(0, rows, 1, 8).select(
        # A third of the orders belong to customer 0: the skewed key.
        F.when(F.col("id") % 3 == 0, F.lit(0)).otherwise(F.pmod(F.hash("id"), F.lit(50_000))).cast("long").alias("customer"),
        (F.pmod(F.hash(F.col("id"), F.lit(7)), F.lit(100_000)) / 100.0).alias("amount"),
        F.sha2(F.col("id").cast("string"), 256).alias("receipt"),
    )
    totals = (
        orders.join(customers, "customer")
        .groupBy("region", "customer")
        .agg(
            F.sum("amount").alias("amount"),
            F.count(F.lit(1)).alias("orders"),
            F.max(F.sha2(F.concat("receipt", "region"), 512)).alias("last_receipt"),
        )
    )
    score = F.udf(risk_score, DoubleType())
    report = (
        totals.withColumn("score", score("amount", "orders"))
        .groupBy("region")
        .agg(F.round(F.sum("amount"), 2).alias("amount"), F.sum("orders").alias("orders"), F.max("score").alias("worst"))
        .orderBy(F.desc("amount"))
    )
    for row in report.limit(5).collect():
        print(f"{row.region:>10}  {row.orders:>9}  {row.amount:>16.2f}  {row.worst:9.3f}")
    spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
