# SPDX-License-Identifier: Apache-2.0
"""A client retries with longer and longer waits, for every twentieth row. --fixed does not wait."""

import sys
import time

from pyspark import SparkContext

IS_FIXED = "--fixed" in sys.argv


class Client:
    def fetch(self, key):
        delay = 0.02
        for attempt in range(4):
            if key % 20 or attempt == 3 or IS_FIXED:
                return key * 2
            time.sleep(delay)
            delay *= 2


def fetch_all(keys):
    client = Client()
    for key in keys:
        yield client.fetch(key)


sc = SparkContext(appName="Retry loop")
print(sc.parallelize(range(6_000), 6).mapPartitions(fetch_all).sum())
sc.stop()
