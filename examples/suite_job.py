# SPDX-License-Identifier: Apache-2.0
"""The jobs of suite.yaml: suite_job.py sum|sort|udf ROWS"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql.functions import rand, udf


def summed(spark, rows):
    return spark.range(rows).selectExpr("sum(hash(id))").collect()[0][0]


def sort(spark, rows):
    return len(
        spark.range(rows, numPartitions=4).orderBy(rand(seed=1)).toDF("id").rdd.mapPartitions(lambda part: [sum(1 for _ in part)]).collect()
    )


def through_python(spark, rows):
    weigh = udf(lambda value: sum(int(digit) for digit in str(value)), "int")
    return spark.range(rows, numPartitions=4).select(weigh("id").alias("weight")).selectExpr("sum(weight)").collect()[0][0]


def main(job, rows):
    spark = SparkSession.builder.appName(f"Suite {job}").config("spark.ui.enabled", "false").getOrCreate()
    print(job, {"sum": summed, "sort": sort, "udf": through_python}[job](spark, rows))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
