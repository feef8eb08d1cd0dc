# SPDX-License-Identifier: Apache-2.0
"""classic_profilers.py PROFILER FOLDER: a job with a class of profiler_map, which leaves its files in FOLDER.

Prints what it did in lines of JSON that begin with "job ", and between "show" and "shown" what show_profiles() prints.
"""

import json
import os
import sys
import time

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf
from sparkprof.pyspark_profilers import profiler_map


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def work(value):
    burn(0.4)
    return value + 1


def fail(value):
    burn(0.2)
    raise ValueError("mine")


def threads(_):
    return [len(os.listdir("/proc/self/task"))]


def short(value):
    burn(0.002)
    return value * 2


def say(**what):
    print("job " + json.dumps(what), flush=True)


profiler = profiler_map[sys.argv[1]]
conf = SparkConf().set("spark.python.profile", "true").set("spark.python.worker.reuse", "true")
sc = SparkContext(conf=conf, profiler_cls=profiler, udf_profiler_cls=profiler, environment={"profile_interval": "0.02"})
numbers = sc.parallelize(range(4), 2).map(work)
say(sum=numbers.sum(), version=sc.version)
try:
    sc.parallelize([1], 1).map(fail).collect()
except Exception as error:  # Spark's own kind differs between versions
    say(raised="mine" in str(error))
alone = sc.parallelize(range(2), 2)
say(threads=alone.mapPartitions(threads).collect())
spark = SparkSession(sc)
doubled = spark.range(1000).repartition(1).select(udf(short, "long")("id").alias("twice"))
say(doubled=sum(row.twice for row in doubled.collect()))
print("show")
sc.show_profiles()
print("shown", flush=True)
sc.dump_profiles(sys.argv[2])
sc.stop()
