# SPDX-License-Identifier: Apache-2.0
"""An RDD of features is parsed again for each round of a search. --fixed caches it."""

import sys

from pyspark import SparkContext

IS_FIXED = "--fixed" in sys.argv


def features(line):
    values = [float(word) for word in line.split(",")]
    return sum(value * value for value in values) ** 0.5, values[0]


def line(number):
    return ",".join(str(number * k % 97) for k in range(30))


sc = SparkContext(appName="Uncached features")
points = sc.parallelize(range(120_000), 8).map(line).map(features)
if IS_FIXED:
    points = points.cache()
for threshold in range(50, 350, 50):
    print(threshold, points.filter(lambda point, least=threshold: point[0] > least).count())
sc.stop()
