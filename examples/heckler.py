# SPDX-License-Identifier: Apache-2.0
"""Riddle: Heckler. A heavy object is built for every record instead of once for each partition.

What a good report must tell about it:
- The stage's time is in one function, the constructor that is called for every record (`Dictionary.__init__` once Python
  workers are profiled; until then: the stage waits for Python, its JVM does little).
- The cure: build it once, with mapPartitions or a broadcast variable; nearly the whole stage would be won.
"""
import sys

from pyspark.sql import SparkSession


class Dictionary:
    def __init__(self):
        self.words = {f"word-{i}": i * i for i in range(4_000)}

    def score(self, number):
        return self.words[f"word-{number % 4_000}"]


def heckle(number):
    return Dictionary().score(number)


def main(records):
    spark = SparkSession.builder.appName("Heckler").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    print("score:", spark.sparkContext.parallelize(range(records), 8).map(heckle).sum())
    spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15_000)
