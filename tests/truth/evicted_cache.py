# SPDX-License-Identifier: Apache-2.0
"""Data kept in memory only does not fit, and each query computes the lost blocks again. --fixed also uses the disk."""

import sys

from pyspark import SparkContext, StorageLevel

IS_FIXED = "--fixed" in sys.argv


def text(number):
    state, words = number, []
    for _ in range(40):
        state = (state * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        words.append(f"{state:016x}")
    return " ".join(words)


sc = SparkContext(appName="Evicted cache")
texts = sc.parallelize(range(400_000), 16).map(text)
texts = texts.persist(StorageLevel.MEMORY_AND_DISK if IS_FIXED else StorageLevel.MEMORY_ONLY)
for digit in "0123":
    print(digit, texts.filter(lambda line, first=digit: line[0] == first).count())
sc.stop()
