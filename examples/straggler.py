# SPDX-License-Identifier: Apache-2.0
"""Riddle: Straggler. One partition holds nearly all the data; the stage ends when its one long task ends.

What the report should show:
- In the last stage one task runs many times longer than the median and reads most of the shuffle's bytes.
- Meanwhile the other cores are idle: the timeline shows one long bar beside emptiness.
- Straggler against median task: the same frames, only more of them, so it is the data (skew), not the host.
- The fix: salt the key or let adaptive execution split it, with the time that this would save.

straggler.py [RECORDS] [--fixed]   --fixed distributes the records evenly.
"""

import sys

from pyspark.sql import SparkSession


def weigh(pairs):
    """Plain CPU for each record, so that the number of records is the time."""
    total = 0
    for _, value in pairs:
        for step in range(40):
            total = (total * 31 + value + step) & 0xFFFFFFFF
    yield total


def main(records, is_even):
    spark = SparkSession.builder.appName("Straggler").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    pairs = spark.sparkContext.parallelize(range(records), 8).map(lambda i: (i % 80 if is_even or i % 10 == 0 else 0, i))
    print("weights:", len(pairs.partitionBy(8, lambda key: key // 10 if key else 0).mapPartitions(weigh).collect()))
    spark.stop()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 1_500_000, "--fixed" in sys.argv)
