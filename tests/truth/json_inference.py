# SPDX-License-Identifier: Apache-2.0
"""A SQL view of JSON files without a schema: Spark parses all of them first to find the columns. --fixed lists them."""

import json
import pathlib
import sys
import tempfile

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("JSON inference").getOrCreate()
with tempfile.TemporaryDirectory() as folder:
    for number in range(8):
        lines = (
            json.dumps({"id": i, "user": {"name": f"u{i % 999}", "age": i % 90}, "tags": ["a", "b", str(i)], "amount": i / 3})
            for i in range(120_000)
        )
        (pathlib.Path(folder) / f"part-{number}.json").write_text("\n".join(lines))
    columns = "(id bigint, user struct<name: string, age: int>, tags array<string>, amount double)" if IS_FIXED else ""
    spark.sql(f"create temporary view events {columns} using json options (path '{folder}')")
    print("amount:", spark.sql("select max(amount) from events").collect())
spark.stop()
