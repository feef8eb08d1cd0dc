# SPDX-License-Identifier: Apache-2.0
"""The queue of events holds 30 of them, and Spark drops most of a program's tasks. --fixed has the default."""

import sys

from pyspark import SparkContext
from pyspark.conf import SparkConf

IS_FIXED = "--fixed" in sys.argv

conf = SparkConf().setAppName("Dropped events")
if not IS_FIXED:
    conf = conf.set("spark.scheduler.listenerbus.eventqueue.capacity", "30")
sc = SparkContext(conf=conf)
numbers = sc._jvm.java.util.ArrayList(list(range(600)))
for _ in range(5):
    print("numbers:", sc._jsc.parallelize(numbers, 300).count())
sc.stop()
