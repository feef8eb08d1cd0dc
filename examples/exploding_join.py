# SPDX-License-Identifier: Apache-2.0
"""Exploding join. Events are joined to sessions by a key that many rows of both sides share.

What the report should show:
- The join returns many times the rows that it reads (`exploding-join`), and the stage spends its time on them.
- The fix: join by all columns of the key.

exploding_join.py [ROWS] [--fixed]   --fixed joins by the session's identifier as well.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def main(rows, is_fixed):
    spark = SparkSession.builder.appName("Exploding join").config("spark.sql.shuffle.partitions", "8").getOrCreate()
    events = spark.range(rows).select((F.col("id") % 60).alias("user"), F.col("id").alias("session"), (F.col("id") * 7).alias("clicks"))
    sessions = spark.range(rows).select((F.col("id") % 60).alias("user"), F.col("id").alias("session"), (F.col("id") % 11).alias("page"))
    if is_fixed:
        joined = events.join(sessions, ["user", "session"])
    else:
        joined = events.drop("session").join(sessions, "user")
    print("clicks:", joined.select(F.sum(F.hash("clicks", "page", "user"))).collect())
    spark.stop()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 120_000, "--fixed" in sys.argv)
