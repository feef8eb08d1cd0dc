# SPDX-License-Identifier: Apache-2.0
"""The sink of a stream writes each batch row by row to a database of one file. --fixed writes a batch in one transaction."""

import pathlib
import sqlite3
import sys
import tempfile

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Slow sink").getOrCreate()
rows = spark.readStream.format("rate").option("rowsPerSecond", 30).load()
with tempfile.TemporaryDirectory() as folder:

    def store(batch, number):
        with sqlite3.connect(pathlib.Path(folder) / "values.db") as connection:
            connection.execute("pragma synchronous = full")
            connection.execute("create table if not exists stored (value integer)")
            for row in batch.collect():
                connection.execute("insert into stored values (?)", (row["value"],))
                if not IS_FIXED:
                    connection.commit()

    query = rows.writeStream.foreachBatch(store).option("checkpointLocation", f"{folder}/checkpoint").start()
    query.awaitTermination(35)
    query.stop()
spark.stop()
