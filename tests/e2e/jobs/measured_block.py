# SPDX-License-Identifier: Apache-2.0
"""measured_block.py [REMOTE]: runs a block under sparkprof.profile() between other jobs of the same session, and prints what it cost as
JSON. With REMOTE (local[2]), the session is a client of Spark Connect."""

import json
import pathlib
import sys
import time

import sparkprof
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, udf
from pyspark.sql.types import LongType


def wait_for(number):
    time.sleep(0.2)
    return number


def run_block():
    if len(sys.argv) > 1:
        session.range(0, 60, 1, 2).select(udf(wait_for, LongType())(col("id"))).collect()
    else:
        session.sparkContext.parallelize(range(60), 2).map(wait_for).count()


session = (SparkSession.builder.remote(sys.argv[1]) if len(sys.argv) > 1 else SparkSession.builder).getOrCreate()
session.range(10).count()
with sparkprof.profile() as cost:
    run_block()
session.range(10).count()
pathlib.Path("flame.html").write_text(cost.flame_graph)
print(
    json.dumps(
        {
            "jobs": cost.jobs,
            "seconds": cost.seconds,
            "rules": [one["rule"] for one in cost.findings],
            "text": str(cost),
            "flame": bool(cost.flame_graph),
            "problem": cost.problem,
        }
    )
)
session.stop()
