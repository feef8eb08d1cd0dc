# SPDX-License-Identifier: Apache-2.0
"""proved_job.py SECONDS ROWS [OUTPUT]: a driver that waits so many seconds, a query with so many rows, and one that appends them."""

import sys
import time

from pyspark.sql import SparkSession

session = SparkSession.builder.getOrCreate()
time.sleep(float(sys.argv[1]))
print(len(session.range(0, int(sys.argv[2]), 1, 2).where("id % 2 = 0").collect()))
if len(sys.argv) > 3:
    session.range(10).write.mode("append").parquet(sys.argv[3])
session.stop()
