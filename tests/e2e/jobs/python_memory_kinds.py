# SPDX-License-Identifier: Apache-2.0
"""Allocates in functions of all kinds that get batches, groups, iterators or partitions: python_memory_kinds.py [REMOTE]

REMOTE is what SparkSession.builder.remote takes; without it, the session is of Spark's classic kind. Each function holds BYTES in one
line, once or more. Prints "FUNCTION LINE" of each one that ran.
"""

import inspect
import sys
import tempfile

import pandas as pd
import pyspark.pandas as ps
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader
from pyspark.sql.functions import PandasUDFType, arrow_udf, lit, pandas_udf, udf, udtf
from pyspark.sql.streaming.state import GroupStateTimeout

BYTES = 30_000_000


def hold_iterator(batches):
    for batch in batches:
        kept = bytearray(BYTES)
        yield batch + len(kept)


def hold_map(frames):
    for frame in frames:
        kept = bytearray(BYTES)
        yield frame + len(kept)


def hold_map_arrow(batches):
    for batch in batches:
        kept = bytearray(BYTES)
        yield batch.slice(len(kept) - BYTES)


def hold_apply(frame):
    kept = bytearray(BYTES)
    return frame + len(kept)


def hold_apply_arrow(table):
    kept = bytearray(BYTES)
    return table.slice(len(kept) - BYTES)


def hold_state(key, frames, state):
    kept = bytearray(BYTES)
    yield pd.DataFrame({"id": [len(frame) + len(kept) for frame in frames][:1]})


def hold_arrow(array):
    kept = bytearray(BYTES)
    return array.slice(len(kept) - BYTES)


def hold_row(number):
    kept = bytearray(BYTES)
    return number + len(kept)


def hold_pandas_on_spark(frame) -> ps.DataFrame[int]:
    kept = bytearray(BYTES)
    return frame + len(kept)


class HoldTable:
    def eval(self, number: int):
        kept = bytearray(BYTES)
        yield (number + len(kept),)


class HoldReader(DataSourceReader):
    def read(self, partition):
        kept = bytearray(BYTES)
        yield (len(kept),)


class HoldSource(DataSource):
    @classmethod
    def name(cls):
        return "hold"

    def schema(self):
        return "id long"

    def reader(self, schema):
        return HoldReader()


def run_stream(spark, keyed):
    with tempfile.TemporaryDirectory() as folder:
        keyed.write.parquet(f"{folder}/in")
        rows = spark.readStream.schema("id long, key long").parquet(f"{folder}/in")
        grouped = rows.groupBy("key").applyInPandasWithState(hold_state, "id long", "id long", "append", GroupStateTimeout.NoTimeout)
        query = grouped.writeStream.format("noop").outputMode("append").trigger(availableNow=True)
        query.option("checkpointLocation", f"{folder}/state").start().awaitTermination()


def read_source(spark):
    spark.dataSource.register(HoldSource)
    spark.read.format("hold").load().collect()


def main(remote):
    builder = SparkSession.builder.remote(remote) if remote else SparkSession.builder
    spark = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
    numbers = spark.range(0, 4, 1, 1)
    keyed = numbers.selectExpr("id", "0L as key")
    keys = keyed.groupBy("key")
    for function, run in (
        (hold_iterator, lambda: numbers.select(pandas_udf(hold_iterator, "long", PandasUDFType.SCALAR_ITER)("id")).collect()),
        (hold_map, lambda: numbers.mapInPandas(hold_map, "id long").collect()),
        (hold_map_arrow, lambda: numbers.mapInArrow(hold_map_arrow, "id long").collect()),
        (hold_apply, lambda: keys.applyInPandas(hold_apply, "id long, key long").collect()),
        (hold_apply_arrow, lambda: keys.applyInArrow(hold_apply_arrow, "id long, key long").collect()),
        (hold_state, lambda: run_stream(spark, keyed)),
        (hold_arrow, lambda: numbers.select(arrow_udf(hold_arrow, "long")("id")).collect()),
        (hold_row, lambda: numbers.select(udf(hold_row, "long", useArrow=True)("id")).collect()),
        (hold_pandas_on_spark, lambda: numbers.pandas_api().pandas_on_spark.apply_batch(hold_pandas_on_spark).to_pandas()),
        (HoldTable.eval, lambda: udtf(HoldTable, returnType="id long")(lit(3)).collect()),
        (HoldReader.read, lambda: read_source(spark)),
    ):
        run()
        lines, first = inspect.getsourcelines(function)
        print(function.__qualname__, first + next(i for i, line in enumerate(lines) if "bytearray(" in line), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else None)
