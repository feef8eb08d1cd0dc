# SPDX-License-Identifier: Apache-2.0
"""A pandas UDF that spends its time in NumPy's sort, and one in pyarrow. Prints "sorted CPU_NS" and "packed CPU_NS" of all calls, by
the worker's own clock, and "program CPU_NS" of a sort in the driver's program."""

import sys
import time

import numpy
import pandas
import pyarrow
from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf
from pyspark.sql.types import LongType

BYTES = numpy.random.default_rng(7).integers(0, 9, 1 << 18, dtype="uint8").tobytes()


@pandas_udf(LongType())
def sort_numbers(ids: pandas.Series) -> pandas.Series:
    begin = time.thread_time_ns()
    numbers = numpy.random.default_rng(7).random(400_000)
    while time.thread_time_ns() - begin < 300_000_000:
        numpy.sort(numbers, kind="heapsort")
    return spread(time.thread_time_ns() - begin, ids)


@pandas_udf(LongType())
def pack_bytes(ids: pandas.Series) -> pandas.Series:
    begin = time.thread_time_ns()
    codec = pyarrow.Codec("zstd", compression_level=9)
    while time.thread_time_ns() - begin < 300_000_000:
        for _ in range(10):
            codec.compress(BYTES)
    return spread(time.thread_time_ns() - begin, ids)


def spread(nanoseconds, ids):
    values = pandas.Series(0, index=ids.index)
    values.iloc[0] = nanoseconds
    return values


def sort_here():
    begin = time.thread_time_ns()
    numbers = numpy.random.default_rng(7).random(400_000)
    while time.thread_time_ns() - begin < 2_000_000_000:
        numpy.sort(numbers, kind="heapsort")
    return time.thread_time_ns() - begin


def main(batches):
    spark = SparkSession.builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "100").getOrCreate()
    rows = spark.range(0, 100 * batches, 1, 2)
    for name, function in (("sorted", sort_numbers), ("packed", pack_bytes)):
        total = rows.select(function("id").alias("v")).agg({"v": "sum"}).collect()[0][0]
        print(name, total, flush=True)
    print("program", sort_here(), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]))
