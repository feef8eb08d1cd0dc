# SPDX-License-Identifier: Apache-2.0
"""A stream gets more rows per second than its Python sink handles, and batches grow. --fixed sums up in Spark."""

import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv


def checksum(batch, number):
    if IS_FIXED:
        print(number, batch.agg(F.sum(F.hash("value"))).collect())
        return
    total = 0
    for row in batch.toLocalIterator():
        for step in range(60):
            total = (total * 31 + row["value"] + step) & 0xFFFFFFFF
    print(number, total)


spark = SparkSession.builder.appName("Stream behind").getOrCreate()
rows = spark.readStream.format("rate").option("rowsPerSecond", 60_000).option("numPartitions", 2).load()
with tempfile.TemporaryDirectory() as folder:
    query = rows.writeStream.foreachBatch(checksum).option("checkpointLocation", folder).start()
    query.awaitTermination(40)
    query.stop()
spark.stop()
