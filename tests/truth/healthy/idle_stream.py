# SPDX-License-Identifier: Apache-2.0
"""A stream of files with a trigger of four seconds, most of whose triggers find nothing."""

import pathlib
import tempfile
import time

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("Idle stream").config("spark.sql.shuffle.partitions", "2").getOrCreate()
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "in"
    source.mkdir()
    events = spark.readStream.schema("user long, n long").json(str(source))
    counts = events.groupBy("user").count()
    query = counts.writeStream.outputMode("update").format("console").trigger(processingTime="4 seconds").start()
    for number in range(3):
        (source / f"part{number}.json").write_text("".join(f'{{"user": {n % 20}, "n": {n}}}\n' for n in range(5_000)))
        time.sleep(11)
    query.stop()
spark.stop()
