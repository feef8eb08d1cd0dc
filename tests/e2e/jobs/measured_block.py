# SPDX-License-Identifier: Apache-2.0
"""Runs a block under sparkprof.profile() between other jobs of the same session, and prints what it cost as JSON."""

import json
import time

import sparkprof
from pyspark.sql import SparkSession


def wait_for(number):
    time.sleep(0.2)
    return number


session = SparkSession.builder.getOrCreate()
session.range(10).count()
with sparkprof.profile() as cost:
    session.sparkContext.parallelize(range(60), 2).map(wait_for).count()
session.range(10).count()
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
