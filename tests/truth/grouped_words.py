# SPDX-License-Identifier: Apache-2.0
"""groupByKey() of an RDD sends most records to one key, whose group one task handles. --fixed adds up with reduceByKey()."""

import sys

from pyspark import SparkContext

IS_FIXED = "--fixed" in sys.argv


def word(number):
    return ("the" if number % 10 < 7 else f"word {number % 500}"), number


def score(numbers):
    total = 0
    for number in numbers:
        for step in range(60):
            total = (total * 31 + number * step) & 0xFFFFFFFF
    return total


sc = SparkContext(appName="Grouped words")
words = sc.parallelize(range(1_600_000), 8).map(word)
if IS_FIXED:
    print("scores:", words.mapValues(lambda number: score([number])).reduceByKey(max, 8).count())
else:
    print("scores:", words.groupByKey(8).mapValues(score).count())
sc.stop()
