# SPDX-License-Identifier: Apache-2.0
"""Riddle: Py4J spike. The driver's script fetches one large text from its JVM over Py4J, and its memory shoots up.

What the report should show:
- Processes over time: the resident memory of the driver's Python process (role python_driver) climbs by several times the
  text's size (its own bytes, the decoded text, the parsed rows); the driver's JVM grows, too; the executors' tasks are done.
- Flame graph, Python's side: below `[python driver]` the script's `load`, there Py4J's receiving and unescaping (CPU) and
  `[waiting for the JVM]` (wall-clock time); then `parse`.
- Flame graph, the JVM's side: Py4J's own thread makes the text and escapes it (`py4j.GatewayConnection.run`,
  `py4j.Protocol.getOutputCommand`) while Python waits.
- The fix: leave the rows where they are (write, aggregate), or take them in parts: `toLocalIterator`, Arrow (`toPandas`).

py4j_spike.py [MEGABYTES] [--fixed]   --fixed counts the rows in tasks.
"""

import json
import sys

from pyspark.sql import SparkSession

ROW_BYTES = 1000


def text_rows(spark, megabytes):
    return spark.range(megabytes * 1_000_000 // ROW_BYTES).selectExpr("id", f"rpad(id, {ROW_BYTES}, 'x') AS text")


def load(spark, megabytes):
    """All rows as one text: the JVM makes it, and Py4J answers with it."""
    lines = text_rows(spark, megabytes)._jdf.toJSON().collectAsList()
    return spark.sparkContext._jvm.java.lang.String.join("\n", lines)


def parse(text):
    return [json.loads(line) for line in text.splitlines()]


def main(megabytes, is_fixed):
    spark = SparkSession.builder.appName("Py4J spike").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    if is_fixed:
        print("rows:", text_rows(spark, megabytes).selectExpr("length(text) AS length").where("length > 0").count())
    else:
        print("rows:", len(parse(load(spark, megabytes))))
    spark.stop()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 64, "--fixed" in sys.argv)
