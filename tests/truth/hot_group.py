# SPDX-License-Identifier: Apache-2.0
"""groupByKey sends every value of the largest shop to one task, which only adds them up. --fixed uses reduceByKey."""

import sys
from operator import add

from pyspark import SparkContext

IS_FIXED = "--fixed" in sys.argv


def sale(number):
    return (0 if number % 10 < 8 else number % 100, float(number % 1_000))


def turnover(values):
    total = 0.0
    for value in values:
        total += value * 1.19
    return total


sc = SparkContext(appName="Hot group")
sales = sc.parallelize(range(3_000_000), 8).map(sale)
by_shop = sales.mapValues(lambda value: value * 1.19).reduceByKey(add) if IS_FIXED else sales.groupByKey().mapValues(turnover)
print("turnover:", by_shop.values().sum())
sc.stop()
