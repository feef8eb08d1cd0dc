# SPDX-License-Identifier: Apache-2.0
"""Two jobs on the same shuffle, and no executor between them: the second one reads what executors wrote that are gone."""

import time

from pyspark.sql import SparkSession


def compute_for_seconds(pairs):
    start = time.monotonic()
    while time.monotonic() - start < 5:
        sum(i * i for i in range(10_000))
    return pairs


spark = SparkSession.builder.getOrCreate()
context = spark.sparkContext
shuffled = context.parallelize([(i % 10, 1) for i in range(1000)], 2).mapPartitions(compute_for_seconds).groupByKey(2)
count = shuffled.mapPartitions(compute_for_seconds).count()
while context._jsc.sc().getExecutorMemoryStatus().size() > 1:
    time.sleep(0.1)
print(f"groups: {count}, {shuffled.mapPartitions(compute_for_seconds).count()}")
spark.stop()
