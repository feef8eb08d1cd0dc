# SPDX-License-Identifier: Apache-2.0
"""A job with secrets in every place where Spark takes text from a user. Argument: a file with the marker and texts."""

import json
import pathlib
import sys

from pyspark.sql import SparkSession

planted = json.loads(pathlib.Path(sys.argv[1]).read_text())
marker = planted["marker"]
forms = planted["forms"]
spark = SparkSession.builder.appName(f"load --password {marker}-appname").getOrCreate()
context = spark.sparkContext
context.setLogLevel("ERROR")
for form in forms:
    context.setJobGroup(f"group {form}", f"{form} region=eu-west-1")
    context.setLocalProperty("my.note", form)
    context.parallelize([1], 1).setName(f"harmless rows {form}").count()
    spark.sql(f"SET my.note=`{form}`").collect()
columns = [f"concat('{form}', id) AS x{number}" for number, form in enumerate(forms)]
spark.range(2).selectExpr(*columns).collect()
context.setLocalProperty("my.dbPwd", marker)
context.setLocalProperty("my.fs.azure.sas.x", marker)
spark.sql(f"SET my.fs.secret.key={marker}").collect()


def fail(rows):
    raise ValueError("no such table orders\n" + "\n".join(f"login failed: {form}" for form in rows))


context.setJobDescription(None)
for rows in (forms, *([form] for form in forms)):
    try:
        context.parallelize(rows, 1).mapPartitions(fail).collect()
    except Exception:  # Spark's own, of a class that differs with its version
        pass
spark.stop()
