# SPDX-License-Identifier: Apache-2.0
"""Many short jobs at once whose events are long: for the tests of a driver that has much to tell.

Usage: many_events.py JOBS BYTES; so many jobs, with a local property of so many bytes in each of their events.
"""
import sys
from multiprocessing.pool import ThreadPool

from pyspark import SparkContext


def main():
    jobs, size = (int(argument) for argument in sys.argv[1:])
    context = SparkContext(appName="many-events")
    numbers = context.range(0, 1, 1, 1)._jrdd.rdd()

    def count(_):
        context.setLocalProperty("padding", "x" * size)
        numbers.count()

    with ThreadPool(16) as pool:
        pool.map(count, range(jobs))
    context.stop()


if __name__ == "__main__":
    main()
