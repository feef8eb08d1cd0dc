# SPDX-License-Identifier: Apache-2.0
"""The function of an RDD carries a dictionary of 400,000 entries, which each task unpickles. --fixed broadcasts it."""

import sys

from pyspark import SparkContext

IS_FIXED = "--fixed" in sys.argv

sc = SparkContext(appName="Large closure")
prices = {f"article-{number}": number * 7 % 1000 for number in range(400_000)}
if IS_FIXED:
    shared = sc.broadcast(prices)

    def price(number):
        return shared.value[f"article-{number % 400_000}"]

else:

    def price(number, prices=prices):
        return prices[f"article-{number % 400_000}"]


print("prices:", sc.parallelize(range(200_000), 60).map(price).sum())
sc.stop()
