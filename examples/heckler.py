# SPDX-License-Identifier: Apache-2.0
"""Riddle: Heckler. A heavy object is built for every record instead of once for each partition.

What the report should show:
- The stage's time is in one function, the constructor that is called for every record (`Dictionary.__init__`); the JVM
  waits for Python meanwhile.
- From the executor's log alone: the lines about loading a dictionary are what it repeats most (`sparkprof logs --chunks`).
- The fix: build it once, with mapPartitions or a broadcast variable; which saves nearly the whole stage.

heckler.py [RECORDS] [--fixed]   --fixed builds it once for each partition.
"""

import logging
import sys

from pyspark.sql import SparkSession

WORDS = 4_000


class Dictionary:
    def __init__(self):
        log = logging.getLogger("Dictionary")
        log.info("Loading a dictionary of %d words", WORDS)
        self.words = {f"word-{i}": i * i for i in range(WORDS)}
        log.info("Dictionary is ready: %d words", len(self.words))

    def score(self, number):
        return self.words[f"word-{number % WORDS}"]


def log_as_spark_does():
    """A worker's standard error goes to its executor's log."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s", datefmt="%y/%m/%d %H:%M:%S")


def heckle(number):
    log_as_spark_does()
    return Dictionary().score(number)


def heckle_all(numbers):
    log_as_spark_does()
    dictionary = Dictionary()
    return map(dictionary.score, numbers)


def main(records, is_fixed):
    spark = SparkSession.builder.appName("Heckler").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    numbers = spark.sparkContext.parallelize(range(records), 8)
    print("score:", (numbers.mapPartitions(heckle_all) if is_fixed else numbers.map(heckle)).sum())
    spark.stop()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 15_000, "--fixed" in sys.argv)
