# SPDX-License-Identifier: Apache-2.0
"""dynamic_job.py FOLDER: two jobs on the same shuffle, and no executor between them; prints the number of groups in each.

With an external shuffle service, the second job reads what executors wrote that are gone; without one, it computes it again.
Each executor with a task makes FOLDER/ran-NAME with the name of its pod or YARN container.
"""

import os
import pathlib
import sys
import time

from pyspark.sql import SparkSession

folder = pathlib.Path(sys.argv[1])


def compute_for_seconds(pairs):
    name = os.environ.get("SPARK_EXECUTOR_POD_NAME") or os.environ["CONTAINER_ID"]
    (folder / f"ran-{name}").touch()
    start = time.monotonic()
    while time.monotonic() - start < 5:
        sum(i * i for i in range(10_000))
    return pairs


spark = SparkSession.builder.appName("job").getOrCreate()
context = spark.sparkContext
shuffled = context.parallelize([(i % 10, 1) for i in range(1000)], 2).mapPartitions(compute_for_seconds).groupByKey(2)
count = shuffled.mapPartitions(compute_for_seconds).count()
while context._jsc.sc().getExecutorMemoryStatus().size() > 1:  # the driver is one of them
    time.sleep(0.1)
print(f"groups: {count}, {shuffled.mapPartitions(compute_for_seconds).count()}")
spark.stop()
