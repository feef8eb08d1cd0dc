# SPDX-License-Identifier: Apache-2.0
"""The ten dearest orders: the RDD is sorted as a whole for take(10). --fixed uses takeOrdered()."""

import sys

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Sorted top").getOrCreate()


def parse(line):
    number, customer, amount = line.split(",")
    return int(number), customer, int(amount)


lines = spark.sparkContext.parallelize(range(1_600_000), 8).map(lambda n: f"{n},customer{n % 5000},{n * 7919 % 1000003}")
orders = lines.map(parse)
if IS_FIXED:
    top = orders.takeOrdered(10, key=lambda order: -order[2])
else:
    top = orders.sortBy(lambda order: order[2], ascending=False).take(10)
print([order[0] for order in top])
spark.stop()
