# SPDX-License-Identifier: Apache-2.0
"""Keeps a Hudi table of vehicles up to date: one load, four batches of upserts, deletes, and queries."""

import os
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

DATA = sys.argv[1]
TABLE = f"file://{os.getcwd()}/vehicles"
OPTIONS = {
    "hoodie.table.name": "vehicles",
    "hoodie.datasource.write.recordkey.field": "uuid",
    "hoodie.datasource.write.precombine.field": "ts",
    "hoodie.datasource.write.partitionpath.field": "city",
}

spark = SparkSession.builder.appName("fleet").getOrCreate()


def save(frame, operation, mode="append"):
    frame.write.format("hudi").options(**OPTIONS).option("hoodie.datasource.write.operation", operation).mode(mode).save(TABLE)


save(spark.read.parquet(f"{DATA}/initial.parquet"), "bulk_insert", "overwrite")
for batch in range(1, 5):
    save(spark.read.parquet(f"{DATA}/changes-{batch}.parquet"), "upsert")
    print("RESULT batch", batch, spark.read.format("hudi").load(TABLE).where(F.col("ts") == batch).count())

retired = spark.read.format("hudi").load(TABLE).where("status = 'service' AND odometer > 199000")
save(retired.select("uuid", "ts", "city"), "delete")

fleet = spark.read.format("hudi").load(TABLE)
for row in fleet.groupBy("city").agg(F.count("*").alias("vehicles"), F.max("odometer").alias("most")).orderBy("city").collect():
    print("RESULT city", row["city"], row["vehicles"], row["most"])
spark.stop()
