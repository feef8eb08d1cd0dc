# SPDX-License-Identifier: Apache-2.0
"""groupByKey sends every value of the largest shop to one task, which computes with all. --fixed computes before, and adds."""

import sys
from operator import add

from pyspark import SparkContext

IS_FIXED = "--fixed" in sys.argv


def sale(number):
    return (0 if number % 10 < 8 else number % 100, float(number % 1_000))


def with_interest(value):
    return sum(value * 1.01**month for month in range(12))


def turnover(values):
    return sum(with_interest(value) for value in values)


sc = SparkContext(appName="Hot group")
sales = sc.parallelize(range(2_000_000), 8).map(sale)
by_shop = sales.mapValues(with_interest).reduceByKey(add) if IS_FIXED else sales.groupByKey().mapValues(turnover)
print("turnover:", by_shop.values().sum())
sc.stop()
