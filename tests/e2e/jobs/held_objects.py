# SPDX-License-Identifier: Apache-2.0
"""Holds COUNT objects of a class in the driver's JVM while FILE exists, and runs small jobs: held_objects.py FILE COUNT"""

import pathlib
import sys
import time

from pyspark.sql import SparkSession

running, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
spark = SparkSession.builder.getOrCreate()
jvm = spark.sparkContext._jvm
held = [jvm.java.util.SplittableRandom(seed) for seed in range(count)]
running.touch()
while running.exists():
    spark.range(1000).count()
    time.sleep(0.1)
print("held", len(held))
spark.stop()
