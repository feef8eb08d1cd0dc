# SPDX-License-Identifier: Apache-2.0
"""The keys of one partition of 16 are on a shard that answers slowly, and its task waits. --fixed has no slow shard."""

import sys
import time

from pyspark import SparkContext, TaskContext

IS_FIXED = "--fixed" in sys.argv


def look_up(keys):
    is_slow = TaskContext.get().partitionId() == 13 and not IS_FIXED
    for key in keys:
        if key % 500 == 0:
            time.sleep(0.25 if is_slow else 0.005)
        yield sum(key * step % 97 for step in range(30))


sc = SparkContext(appName="Slow shard")
print("values:", sc.parallelize(range(480_000), 16).mapPartitions(look_up).max())
sc.stop()
