# SPDX-License-Identifier: Apache-2.0
"""sortBy() on a key that nearly all records share puts them in one partition. --fixed sorts by the record itself."""

import sys

from pyspark import SparkContext

IS_FIXED = "--fixed" in sys.argv


def level(record):
    return record if IS_FIXED else ("ERROR" if record % 100 == 0 else "INFO")


def digest(record):
    total = record
    for step in range(50):
        total = (total * 31 + step) & 0xFFFFFFFF
    return total


sc = SparkContext(appName="Constant sort")
records = sc.parallelize(range(600_000), 8)
print(records.sortBy(level, numPartitions=8).map(digest).max())
sc.stop()
