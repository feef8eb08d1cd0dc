# SPDX-License-Identifier: Apache-2.0
"""Counts words by key, with sums before the shuffle."""

from operator import add

from pyspark import SparkContext

sc = SparkContext(appName="Word count")
lines = sc.parallelize(range(400_000), 4).map(lambda number: f"the {number % 100} of {number % 7}")
lines.flatMap(str.split).map(lambda word: (word, 1)).reduceByKey(add, 4).collect()
sc.stop()
