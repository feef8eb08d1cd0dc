# SPDX-License-Identifier: Apache-2.0
"""The sink of a stream sends a request for each row to a service that answers after 35 ms. --fixed sends one for each batch."""

import sys
import tempfile
import time

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv


def send(values):
    time.sleep(0.035)
    return len(values)


spark = SparkSession.builder.appName("Slow sink").getOrCreate()
rows = spark.readStream.format("rate").option("rowsPerSecond", 30).load()
with tempfile.TemporaryDirectory() as folder:

    def store(batch, number):
        values = [row["value"] for row in batch.collect()]
        for request in [values] if IS_FIXED else [[value] for value in values]:
            send(request)

    query = rows.writeStream.foreachBatch(store).option("checkpointLocation", f"{folder}/checkpoint").start()
    query.awaitTermination(35)
    query.stop()
spark.stop()
