# SPDX-License-Identifier: Apache-2.0
"""A native library ends the JVM of an executor while its tasks run. --fixed does not. Needs a cluster."""

import os
import pathlib
import signal
import sys

from pyspark import SparkContext, TaskContext

IS_FIXED = "--fixed" in sys.argv


def parent_of(process):
    return int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])


def checksum(numbers):
    total = 0
    for number in numbers:
        total = (total * 31 + number) & 0xFFFFFFFF
    context = TaskContext.get()
    if not IS_FIXED and context.partitionId() == 5 and context.attemptNumber() == 0:
        os.kill(parent_of(os.getppid()), signal.SIGKILL)
    yield total


sc = SparkContext(appName="Lost executor")
print("checksums:", sc.parallelize(range(40_000_000), 8).mapPartitions(checksum).max())
sc.stop()
