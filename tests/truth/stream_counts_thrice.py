# SPDX-License-Identifier: Apache-2.0
"""foreachBatch() counts its batch three times, and each count calls a Python function again. --fixed persists the batch."""

import pathlib
import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Counts thrice").config("spark.sql.shuffle.partitions", "2").getOrCreate()
totals = {"all": 0, "bad": 0, "late": 0}


@F.udf("long")
def checked(number):
    value = number
    for _ in range(60):
        value = value * 31 % 1_000_003
    return value


def deliver(batch, number):
    if IS_FIXED:
        batch.persist()
    totals["all"] += batch.where("code >= 0").count()
    totals["bad"] += batch.where("code < 200000").count()
    totals["late"] += batch.where("code % 7 = 0").count()
    if IS_FIXED:
        batch.unpersist()


with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "in"
    source.mkdir()
    for number in range(4):
        (source / f"part{number}.csv").write_text("".join(f"{n},{n * number}\n" for n in range(35_000)))
    events = spark.readStream.schema("id long, reading long").option("maxFilesPerTrigger", 1).csv(str(source)).repartition(2)
    checked_events = events.withColumn("code", checked("reading"))
    query = (
        checked_events.writeStream.foreachBatch(deliver)
        .option("checkpointLocation", f"{folder}/checkpoint")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
print(totals)
spark.stop()
