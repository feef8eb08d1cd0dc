# SPDX-License-Identifier: Apache-2.0
"""A function keeps all rows of its partition in a list, more than its worker may use. --fixed adds them up."""

import sys

from pyspark import SparkContext

IS_FIXED = "--fixed" in sys.argv


def longest(numbers):
    texts = (str(number) * 100 for number in numbers)
    yield max(map(len, texts if IS_FIXED else list(texts)))


sc = SparkContext(appName="Worker memory")
print("longest:", sc.parallelize(range(8_000_000), 2).mapPartitions(longest).max())
sc.stop()
