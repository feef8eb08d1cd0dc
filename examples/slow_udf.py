# SPDX-License-Identifier: Apache-2.0
"""Slow UDF. A Python function computes for each row what Spark has a built-in function for.

What the report should show:
- The tasks wait for Python, and Python's CPU time is in `checksum` (`python-bound`), with its line.
- The fix: a built-in function or a vectorized one.

slow_udf.py [ROWS] [--fixed]   --fixed uses built-in functions.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType


def checksum(text):
    total = 0
    for _ in range(12):
        for character in text:
            total = (total * 31 + ord(character)) & 0xFFFFFFFF
    return total


def main(rows, is_fixed):
    spark = SparkSession.builder.appName("Slow UDF").getOrCreate()
    texts = spark.range(0, rows, 1, 4).select(F.concat(F.lit("customer-"), F.col("id")).alias("text"))
    value = F.crc32("text") if is_fixed else F.udf(checksum, LongType())("text")
    print("checksum:", texts.select(F.sum(value)).collect())
    spark.stop()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 400_000, "--fixed" in sys.argv)
