# SPDX-License-Identifier: Apache-2.0
"""Every second task fails after its work at its first attempt. --fixed does not fail. Needs a master with retries."""

import sys

from pyspark import SparkContext, TaskContext

IS_FIXED = "--fixed" in sys.argv


def checksum(numbers):
    total = 0
    for number in numbers:
        total = (total * 31 + number) & 0xFFFFFFFF
    context = TaskContext.get()
    if not IS_FIXED and context.partitionId() % 2 and context.attemptNumber() == 0:
        raise ConnectionError("the service closed the connection")
    yield total


sc = SparkContext(appName="Flaky tasks")
print("checksums:", sc.parallelize(range(60_000_000), 8).mapPartitions(checksum).max())
sc.stop()
