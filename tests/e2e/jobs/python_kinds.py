# SPDX-License-Identifier: Apache-2.0
"""Runs each kind of Python function that Spark has, for a moment of CPU each; the function of kind K is called burn_K.

python_kinds.py [KIND...]   only these kinds, in this order. Prints "ran KIND" for each one that this Spark has and that worked.
"""

import os
import sys
import time

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.functions import PandasUDFType, pandas_udf, udf

SECONDS = 0.4


def spin(seconds=SECONDS):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for _ in range(1000):
            pass


def once(value):
    if value == 0:
        spin()
    return value


def burn_rdd(value):
    return once(value)


def burn_foreach(rows):
    spin()


def burn_udf(value):
    return once(value)


def burn_arrow_udf(value):
    return once(value)


def burn_pandas(series: pd.Series) -> pd.Series:
    spin()
    return series


def burn_iterator(batches):
    for series in batches:
        spin()
        yield series


def burn_aggregate(series: pd.Series) -> float:
    spin()
    return float(series.sum())


def burn_apply(frame):
    spin()
    return frame


def burn_map(frames):
    for frame in frames:
        spin()
        yield frame


def burn_map_arrow(batches):
    for batch in batches:
        spin()
        yield batch


def burn_cogroup(left, right):
    spin()
    return left


class burn_udtf:
    def eval(self, value: int):
        spin()
        yield (value,)


def burn_raise(value):
    spin()
    raise ValueError("as it should")


def burn_exit(value):
    spin()
    os._exit(3)


def burn_kill(value):
    spin()
    os.kill(os.getpid(), 9)


def failing(action):
    try:
        action()
    except Exception:
        return
    raise SystemExit("the job should have failed")


def main(wanted):
    spark = SparkSession.builder.getOrCreate()
    context = spark.sparkContext
    numbers = spark.range(0, 4, 1, 1)
    keyed = numbers.selectExpr("id", "0L as key")
    typed = lambda function, kind: pandas_udf(function, "long", kind)  # noqa: E731

    def udtf():
        from pyspark.sql.functions import udtf as make

        spark.udtf.register("burn_udtf", make(burn_udtf, returnType="value: long"))
        spark.sql("select * from burn_udtf(3)").collect()

    kinds = {
        "rdd": lambda: context.parallelize(range(4), 1).map(burn_rdd).count(),
        "foreach": lambda: context.parallelize(range(4), 1).foreachPartition(burn_foreach),
        "udf": lambda: numbers.select(udf(burn_udf, "long")("id")).collect(),
        "arrow_udf": lambda: numbers.select(udf(burn_arrow_udf, "long", useArrow=True)("id")).collect(),
        "pandas": lambda: numbers.select(typed(burn_pandas, PandasUDFType.SCALAR)("id")).collect(),
        "iterator": lambda: numbers.select(typed(burn_iterator, PandasUDFType.SCALAR_ITER)("id")).collect(),
        "aggregate": lambda: keyed.groupBy("key").agg(pandas_udf(burn_aggregate, "double", PandasUDFType.GROUPED_AGG)("id")).collect(),
        "apply": lambda: keyed.groupBy("key").applyInPandas(burn_apply, "id long, key long").collect(),
        "map": lambda: numbers.mapInPandas(burn_map, "id long").collect(),
        "map_arrow": lambda: numbers.mapInArrow(burn_map_arrow, "id long").collect(),
        "cogroup": lambda: keyed.groupBy("key").cogroup(keyed.groupBy("key")).applyInPandas(burn_cogroup, "id long, key long").collect(),
        "udtf": udtf,
        "raise": lambda: failing(context.parallelize([1], 1).map(burn_raise).count),
        "exit": lambda: failing(context.parallelize([1], 1).map(burn_exit).count),
        "kill": lambda: failing(context.parallelize([1], 1).map(burn_kill).count),
    }
    for kind in wanted or kinds:
        kinds[kind]()
        print("ran", kind, flush=True)
    spark.stop()


main(sys.argv[1:])
