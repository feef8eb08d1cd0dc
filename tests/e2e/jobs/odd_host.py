# SPDX-License-Identifier: Apache-2.0
"""Each executor decodes for some seconds; that of one host, named by the argument, with another function."""

import os
import sys
import time

from pyspark.sql import SparkSession


def decoder(end):
    while time.process_time() < end:
        sum(range(1000))


def old_decoder(end):
    while time.process_time() < end:
        sorted(range(1000), key=str)


def decode(_):
    # The executor's own command line has its host.
    with open(f"/proc/{os.getppid()}/stat") as stat:
        jvm = stat.read().rsplit(")", 1)[1].split()[1]
    with open(f"/proc/{jvm}/cmdline") as command:
        words = command.read().split("\0")
    odd = words[words.index("--hostname") + 1] == odd_host.value
    (old_decoder if odd else decoder)(time.process_time() + 1.2)
    return [0]


spark = SparkSession.builder.appName("odd host").getOrCreate()
odd_host = spark.sparkContext.broadcast(sys.argv[1])
print(spark.sparkContext.parallelize(range(12), 12).flatMap(decode).count())
