# SPDX-License-Identifier: Apache-2.0
"""UDFs that allocate and hold known bytes: python_memory.py [die | leak | exhaust | arrow | program | exhaust-program]

In two tasks each: `remember` adds to a cache that outlives the task, `stack_arrays` holds NumPy arrays while a batch runs, `copy_frames`
copies a data frame of pandas and `parse` allocates lists, which they free. With `die`, `grow` holds ever more until it kills its worker; with `leak`, `keep_rows` keeps a buffer
of each row; with `exhaust`, a worker allocates until it may no longer; with `arrow`, `hold_arrow` holds a buffer of Arrow for 4 s. With
`program`, the driver's program holds rows that it collects, and arrays; with `exhaust-program`, it allocates until it may no
longer. Prints "NAME ALLOCATED HELD" per function, of all tasks together; HELD is what they hold at the end.
"""

import os
import resource
import signal
import sys
import time

import numpy
import pandas
from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf, udf
from pyspark.sql.types import LongType

TASKS = 2
LISTS, LIST = 20_000, 10_000
BUFFERS, BUFFER = 200, 600_000  # larger than the interval: each is sampled
ARRAYS, ARRAY = 25, 4_000_000
COPIES, FRAME = 200, 1_000_000
LEAKING_TASKS, ROWS = 6, 100
ARROW_BYTES = 50_000_000
FETCHED = 500  # rows, of BUFFER characters


@udf(LongType())
def parse(number):
    for _ in range(LISTS):
        row = [None] * LIST
    return number + len(row) - LIST


@udf(LongType())
def remember(number):
    kept = vars(sys).setdefault("kept", [])
    for _ in range(BUFFERS):
        kept.append(bytearray(BUFFER))
    return number


@pandas_udf(LongType())
def stack_arrays(numbers: pandas.Series) -> pandas.Series:
    arrays = [numpy.ones(ARRAY, dtype="uint8") for _ in range(ARRAYS)]
    return numbers + len(arrays)


@pandas_udf(LongType())
def copy_frames(numbers: pandas.Series) -> pandas.Series:
    frame = pandas.DataFrame({"zero": numpy.zeros(FRAME // 8)})
    for _ in range(COPIES):
        copy = frame.copy()
    return numbers + len(copy.columns)


@udf(LongType())
def grow(number):
    kept = [bytearray(BUFFER) for _ in range(2 * BUFFERS)]
    os.kill(os.getpid(), signal.SIGKILL)
    return len(kept)


@udf(LongType())
def keep_rows(number):
    vars(sys).setdefault("rows", []).append(bytearray(BUFFER))
    return number


@udf(LongType())
def exhaust(number):
    kept = []
    while True:
        kept.append(bytearray(BUFFER))


@pandas_udf(LongType())
def hold_arrow(numbers: pandas.Series) -> pandas.Series:
    import pyarrow

    buffer = pyarrow.allocate_buffer(ARROW_BYTES)
    numpy.frombuffer(buffer, "uint8")[:] = 1
    time.sleep(4)
    return numbers + buffer.size


def fetch(spark):
    rows = spark.range(0, FETCHED, 1, TASKS).selectExpr(f"repeat(char(65 + id % 26), {BUFFER}) text").collect()
    return rows, FETCHED * sys.getsizeof(rows[0].text)


def add_arrays(spark):
    table = spark.range(ROWS).toPandas()
    return [table, *(numpy.ones(ARRAY, dtype="uint8") for _ in range(ARRAYS))], ARRAYS * ARRAY


def exhaust_program():
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 300 * BUFFER, resource.RLIM_INFINITY))
    kept = []
    while True:
        kept.append(bytearray(BUFFER))


def main(mode):
    spark = SparkSession.builder.config("spark.sql.execution.arrow.pyspark.enabled", "true").getOrCreate()
    if mode == "exhaust-program":
        exhaust_program()
    if mode == "program":
        kept = []
        for function in (fetch, add_arrays):
            held, size = function(spark)
            kept.append(held)
            print(function.__name__, size, size, flush=True)
        time.sleep(2)  # the process's memory is read once a second
        return spark.stop()
    rows = spark.range(0, TASKS, 1, TASKS)
    one = spark.range(0, 1, 1, 1)
    if mode == "leak":
        return spark.range(0, LEAKING_TASKS * ROWS, 1, LEAKING_TASKS).select(keep_rows("id")).collect()
    if mode is not None:
        return one.select({"die": grow, "exhaust": exhaust, "arrow": hold_arrow}[mode]("id")).collect()
    for function, allocated, held in (
        (remember, BUFFERS * (BUFFER + 1), BUFFERS * (BUFFER + 1)),
        (stack_arrays, ARRAYS * ARRAY, 0),
        (copy_frames, COPIES * FRAME, 0),
        (parse, LISTS * LIST * 8, 0),
    ):
        rows.select(function("id")).collect()
        print(function.__name__, TASKS * allocated, TASKS * held, flush=True)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else None)
