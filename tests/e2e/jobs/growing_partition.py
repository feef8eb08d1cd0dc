# SPDX-License-Identifier: Apache-2.0
"""A Python worker that keeps more and more memory, until its container is killed for it."""

import time

from pyspark.sql import SparkSession


def grow(rows):
    kept = []
    for _ in range(100):
        kept.append(bytearray(b"x" * (32 << 20)))
        time.sleep(0.2)  # the limit is checked every few seconds
    yield len(kept)


spark = SparkSession.builder.appName("growing partition").getOrCreate()
print(spark.sparkContext.parallelize(range(1), 1).mapPartitions(grow).collect())
