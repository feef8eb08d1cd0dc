# SPDX-License-Identifier: Apache-2.0
"""UDFs that allocate and hold known bytes: python_memory.py [die]

In two tasks each: `remember` adds to a cache that outlives the task, `stack_arrays` holds NumPy arrays while a batch runs, `parse`
allocates lists and frees them. With `die`, `grow` holds ever more until it kills its worker. Prints "NAME ALLOCATED HELD" per function, of all tasks
together; HELD is what they hold at the end.
"""

import os
import signal
import sys

import numpy
import pandas
from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf, udf
from pyspark.sql.types import LongType

TASKS = 2
LISTS, LIST = 20_000, 10_000
BUFFERS, BUFFER = 200, 600_000  # larger than the interval: each is sampled
ARRAYS, ARRAY = 25, 4_000_000


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


@udf(LongType())
def grow(number):
    kept = [bytearray(BUFFER) for _ in range(2 * BUFFERS)]
    os.kill(os.getpid(), signal.SIGKILL)
    return len(kept)


def main(dies):
    spark = SparkSession.builder.getOrCreate()
    rows = spark.range(0, TASKS, 1, TASKS)
    if dies:
        spark.range(0, 1, 1, 1).select(grow("id")).collect()
    for function, allocated, held in (
        (remember, BUFFERS * (BUFFER + 1), BUFFERS * (BUFFER + 1)),
        (stack_arrays, ARRAYS * ARRAY, 0),
        (parse, LISTS * LIST * 8, 0),
    ):
        rows.select(function("id")).collect()
        print(function.__name__, TASKS * allocated, TASKS * held, flush=True)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:] == ["die"])
