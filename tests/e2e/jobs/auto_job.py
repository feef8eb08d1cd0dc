# SPDX-License-Identifier: Apache-2.0
"""auto_job.py [fail]: one small job, which fails if asked to."""

import sys

from pyspark.sql import SparkSession

session = SparkSession.builder.getOrCreate()
fails = sys.argv[1:] == ["fail"]
print(session.sparkContext.parallelize(range(1000), 2).map(lambda number: number // (0 if fails else 1)).sum())
session.stop()
