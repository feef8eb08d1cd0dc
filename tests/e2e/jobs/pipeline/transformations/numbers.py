# SPDX-License-Identifier: Apache-2.0
"""A pipeline: the materialized view `numbers`, `burnt` made of it by a UDF that burns 2 ms of CPU for each row, and the
streaming table `copies` with the flow `copy_numbers`."""

import time

from pyspark import pipelines as dp
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, udf
from pyspark.sql.types import LongType

spark = SparkSession.active()


@dp.materialized_view
def numbers():
    return spark.range(0, 1000, 1, 2)


@dp.materialized_view
def burnt():
    def burn(value):
        end = time.thread_time() + 0.002
        while time.thread_time() < end:
            pass
        return value

    return spark.read.table("numbers").select(udf(burn, LongType())(col("id")).alias("id"))


dp.create_streaming_table("copies")


@dp.append_flow(target="copies", name="copy_numbers")
def copy_numbers():
    return spark.readStream.table("numbers")
