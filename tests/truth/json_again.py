# SPDX-License-Identifier: Apache-2.0
"""get_json_object() parses the same text for each of 24 columns. --fixed parses it once with from_json()."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv
FIELDS = 24

spark = SparkSession.builder.appName("JSON again").getOrCreate()
texts = spark.range(0, 300_000, 1, 6).select(
    F.to_json(F.struct(*[F.concat(F.lit(f"value {i} of "), F.col("id").cast("string")).alias(f"f{i}") for i in range(FIELDS)])).alias(
        "text"
    )
)
if IS_FIXED:
    schema = ", ".join(f"f{i} string" for i in range(FIELDS))
    columns = texts.select(F.from_json("text", schema).alias("r")).select("r.*")
else:
    columns = texts.select(*[F.get_json_object("text", f"$.f{i}").alias(f"f{i}") for i in range(FIELDS)])
print(columns.agg(*[F.max(f"f{i}") for i in range(FIELDS)]).collect()[0][0])
spark.stop()
