# SPDX-License-Identifier: Apache-2.0
"""A job with secrets in every place where Spark takes text from a user. Argument: the secrets' marker."""
import sys

from pyspark.sql import SparkSession

marker = sys.argv[1]
spark = SparkSession.builder.appName(f"load --password {marker}-appname").getOrCreate()
context = spark.sparkContext
context.setJobGroup(f"group pwd={marker}-group", f'load with {{"password": "{marker}-description"}} region=eu-west-1')
context.setLocalProperty("my.dbPwd", f"{marker}-local")
context.setLocalProperty("my.fs.azure.sas.x", f"{marker}-sas")
context.parallelize([1], 1).setName(f"rows passphrase={marker}-rdd").count()
spark.sql(f"SET my.fs.secret.key={marker}-set").collect()
spark.range(3).selectExpr(f"concat('api_key={marker}-plan', id) AS x").collect()
spark.range(3).selectExpr(f"concat('jdbc:oracle:thin:joe/{marker}-oracle@h:1521:x', id) AS x").collect()
spark.range(3).selectExpr(f"concat('https://h/f?X-Amz-Signature={marker}-signature', id) AS x").collect()


def fail(_):
    raise ValueError(f"login failed: password='{marker}-exception two' Authorization: Bearer {marker}-bearer9")


context.setJobDescription(f"https://joe:{marker}-url@host.example.com/x ghp_{marker.replace('-', '')}0123456789")
try:
    context.parallelize([1], 1).map(fail).collect()
except Exception:  # Spark's own, of a class that differs with its version
    pass
spark.stop()
