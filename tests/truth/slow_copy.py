# SPDX-License-Identifier: Apache-2.0
"""One task of 20 waits long at its first attempt, and Spark starts copies of others, too. --fixed has no speculation."""

import sys
import time

from pyspark import SparkContext, TaskContext
from pyspark.conf import SparkConf

IS_FIXED = "--fixed" in sys.argv


def work(numbers):
    # The work of a partition differs, which speculation takes for slow tasks.
    end = time.monotonic() + (0.5 if TaskContext.get().partitionId() < 16 else 5)
    total = 0
    while time.monotonic() < end:
        for number in range(10_000):
            total = (total * 31 + number) & 0xFFFFFFFF
    yield total


conf = SparkConf().setAppName("Slow copy")
if not IS_FIXED:
    for key, value in {"": "true", ".multiplier": "1.1", ".quantile": "0.5", ".interval": "100ms"}.items():
        conf = conf.set(f"spark.speculation{key}", value)
sc = SparkContext(conf=conf)
for _ in range(2):
    print("work:", sc.parallelize(range(20), 20).mapPartitions(work).max() >= 0)
sc.stop()
