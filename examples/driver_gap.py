# SPDX-License-Identifier: Apache-2.0
"""Driver gap. The driver program computes between its Spark jobs, and all cores wait for it.

What the report should show:
- No task runs for most of the time between the first and the last job (`driver-gap`), with the code before each gap.
- The fix: do this work in Spark.

driver_gap.py [ROUNDS] [--fixed]   --fixed computes the same in tasks.
"""

import sys

from pyspark.sql import SparkSession


def score(number):
    total = 0
    for step in range(250):
        total = (total * 31 + number + step) & 0xFFFFFFFF
    return total


def main(rounds, is_fixed):
    spark = SparkSession.builder.appName("Driver gap").getOrCreate()
    for round_number in range(rounds):
        numbers = spark.sparkContext.parallelize(range(100_000), 8).map(lambda i: i * 3)
        if is_fixed:
            best = numbers.map(score).max()
        else:
            best = max(score(number) for number in numbers.collect())
        print("best of round", round_number, best)
    spark.stop()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 4, "--fixed" in sys.argv)
