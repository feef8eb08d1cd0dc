# SPDX-License-Identifier: Apache-2.0
"""connect_udf.py ROWS [REMOTE]: a Spark Connect client whose UDF `burnt` burns 2 ms of CPU for each row.

REMOTE is what SparkSession.builder.remote takes: local[2] starts a server of its own, sc://HOST:PORT is one that runs.
Without it SPARK_REMOTE says which.
"""

import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql.functions import col, udf
from pyspark.sql.types import LongType


def burnt(value):
    end = time.thread_time() + 0.002
    while time.thread_time() < end:
        pass
    return value


def main():
    builder = SparkSession.builder
    if len(sys.argv) > 2:
        builder = builder.remote(sys.argv[2])
    spark = builder.getOrCreate()
    assert type(spark).__module__.startswith("pyspark.sql.connect"), type(spark)
    function = udf(burnt, LongType())  # now: what is made before the session is of Spark's classic kind
    rows = spark.range(0, int(sys.argv[1]), 1, 2).select(function(col("id")).alias("id")).collect()
    print("rows", len(rows), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
