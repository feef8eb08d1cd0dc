# SPDX-License-Identifier: Apache-2.0
"""The Python worker of two partitions is killed after its work at the first attempt. --fixed kills none. Needs retries."""

import os
import signal
import sys

from pyspark import SparkContext, TaskContext

IS_FIXED = "--fixed" in sys.argv


def simulated(numbers):
    context = TaskContext.get()
    total = 0
    for number in numbers:
        for step in range(120):
            total = (total * 31 + number * step) & 0xFFFFFFFF
    if context.partitionId() % 4 == 1 and context.attemptNumber() == 0 and not IS_FIXED:
        os.kill(os.getpid(), signal.SIGKILL)
    yield total


sc = SparkContext(appName="Killed worker")
print(sc.parallelize(range(1_200_000), 8).mapPartitions(simulated).max())
sc.stop()
