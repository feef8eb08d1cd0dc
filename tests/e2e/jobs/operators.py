# SPDX-License-Identifier: Apache-2.0
"""A sort, aggregations, joins and Python functions, each with enough work to be seen by the sampler."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
rows = int(sys.argv[1])
made = spark.range(rows).select(
    (F.col("id") % 100).alias("key"), (F.rand(1) * 100).alias("amount"), F.sha1(F.col("id").cast("string")).alias("text")
)
made.cache().count()
made.orderBy("text", "amount").select("amount").write.mode("overwrite").format("noop").save()
made.groupBy("text").agg(F.sum("amount")).write.mode("overwrite").format("noop").save()
other = made.select(F.col("text").alias("text2"), F.col("amount").alias("amount2"))
made.join(other.hint("shuffle_hash"), F.col("text") == F.col("text2")).groupBy("key").agg(F.sum("amount2")).collect()


@F.udf("long")
def burn(key):
    total = 0
    for i in range(60):
        total += i * key
    return total


made.limit(rows // 4).select(burn("key").alias("burnt")).groupBy().agg(F.sum("burnt")).collect()
spark.stop()
