# SPDX-License-Identifier: Apache-2.0
"""A stream that keeps up with its source, in triggers of two seconds."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("Stream").config("spark.sql.shuffle.partitions", "2").getOrCreate()
rates = spark.readStream.format("rate").option("rowsPerSecond", 1000).load()
counts = rates.groupBy(F.window("timestamp", "10 seconds")).count()
query = counts.writeStream.outputMode("complete").format("memory").queryName("counts").trigger(processingTime="2 seconds").start()
query.awaitTermination(20)
query.stop()
spark.stop()
