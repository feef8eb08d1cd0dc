# SPDX-License-Identifier: Apache-2.0
"""The driver computes over all rows with toLocalIterator(), one partition after the other. --fixed computes in tasks."""

import sys

from pyspark import SparkContext

IS_FIXED = "--fixed" in sys.argv


def checksum(number):
    total = number
    for step in range(40):
        total = (total * 31 + step) & 0xFFFFFFFF
    return total


sc = SparkContext(appName="Local iterator")
numbers = sc.parallelize(range(3_000_000), 12).map(lambda number: number * 7)
if IS_FIXED:
    print("checksum:", numbers.map(checksum).sum())
else:
    print("checksum:", sum(checksum(number) for number in numbers.toLocalIterator()))
sc.stop()
