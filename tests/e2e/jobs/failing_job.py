# SPDX-License-Identifier: Apache-2.0
"""Fails in the way that its argument names; test_provoked_failures.py has what each is called. The second argument is a folder."""

import os
import pathlib
import signal
import sys
import threading

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType

spark = SparkSession.builder.appName("failing").getOrCreate()
sc = spark.sparkContext
name, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def in_worker(function):
    spark.range(8).select(F.udf(function, IntegerType())("id")).collect()


def sql(text):
    spark.range(8).selectExpr("cast(id as int) as id", "cast(id as string) as text", "array(id) as ids").createOrReplaceTempView("t")
    return spark.sql(text).collect()


def crash(_):
    os._exit(3)


def kill_worker(_):
    os.kill(os.getpid(), signal.SIGKILL)


def kill_executor(_):
    daemon = pathlib.Path(f"/proc/{os.getppid()}/stat").read_text()
    os.kill(int(daemon.rpartition(")")[2].split()[1]), signal.SIGKILL)


def segfault(_):
    import ctypes

    ctypes.string_at(0)


def import_missing(_):
    import not_installed_anywhere

    return not_installed_anywhere.x


def use_a_lock():
    lock = threading.Lock()
    in_worker(lambda row: lock.locked() and row)


def use_the_context():
    sc.parallelize([1]).map(lambda row: sc.parallelize([row]).count()).collect()


def slow_broadcast():
    slow = F.udf(lambda row: __import__("time").sleep(3) or row, IntegerType())
    right = spark.range(2).repartition(1).select(slow("id").alias("key"))
    spark.range(8).join(F.broadcast(right), F.col("id") == F.col("key")).collect()


def read_garbage():
    (folder / "garbage.parquet").write_bytes(b"no parquet at all" * 100)
    spark.read.schema("id int").parquet(str(folder / "garbage.parquet")).collect()


def read_deleted():
    path = folder / "deleted-rows"
    spark.range(8).write.parquet(str(path))
    rows = spark.read.parquet(str(path))
    for part in path.glob("part-*"):
        part.unlink()
    rows.collect()


def read_other_type():
    path = str(folder / "typed")
    spark.range(8).write.parquet(path)
    spark.read.schema("id date").parquet(path).collect()


def write_twice():
    for _ in range(2):
        spark.range(8).write.parquet(str(folder / "rows-twice"))


def read_malformed():
    (folder / "malformed.json").write_text('{"id": 1}\nnot json\n')
    spark.read.schema("id int").option("mode", "FAILFAST").json(str(folder / "malformed.json")).collect()


def large_result():
    # Hashes, as the results of tasks are compressed.
    spark.range(4).selectExpr("transform(sequence(1, 60000), x -> sha2(concat(id, '/', x), 256))").collect()


def large_task():
    sc.parallelize([os.urandom(3_000_000)], 1).map(len).collect()


def fill_the_executor():
    spark.range(40_000_000).repartition(1).agg(F.collect_list(F.concat(F.lit("row "), F.col("id")))).select(
        F.size("collect_list(concat(row , id))")
    ).collect()


def unending_plan():
    column = F.col("id")
    for _ in range(6000):
        column = column + 1
    spark.range(1).select(column).collect()


def stream_of(rows):
    rows.writeStream.format("noop").option("checkpointLocation", str(folder / "checkpoint")).trigger(
        availableNow=True
    ).start().awaitTermination()


def failing_stream():
    spark.range(8).write.parquet(str(folder / "stream-source"))
    rows = spark.readStream.schema("id long").parquet(str(folder / "stream-source"))
    stream_of(rows.selectExpr("id div (id - id) as x"))


def stream_with_other_mode():
    rows = spark.readStream.format("rate").load().groupBy("value").count()
    rows.writeStream.format("console").outputMode("append").start()


def wrong_arrow_type():
    spark.range(8).groupBy("id").applyInPandas(lambda rows: rows.assign(id="x"), "id long").collect()


def own_error():
    raise KeyError("no such setting")


def divide():
    spark.conf.set("spark.sql.ansi.enabled", "true")
    sql("select id div (id - id) from t")


FAILURES = {
    "value": lambda: in_worker(lambda row: int(f"x{row}")),
    "none": lambda: in_worker(lambda row: None if row < 0 else {}.get(row).bit_length()),
    "module": lambda: in_worker(import_missing),
    "crash": lambda: in_worker(crash),
    "kill-worker": lambda: in_worker(kill_worker),
    "segfault": lambda: in_worker(segfault),
    "kill-executor": lambda: in_worker(kill_executor),
    "lock": use_a_lock,
    "context": use_the_context,
    "arrow": wrong_arrow_type,
    "cast": lambda: sql("select cast(concat('x', text) as int) from t"),
    "divide": divide,
    "overflow": lambda: sql("select cast(id + 2147483647 as int) from t"),
    "index": lambda: sql("select ids[id + 3] from t"),
    "map-key": lambda: sql("select map(id, 1, id, 2) from t"),
    "subquery": lambda: sql("select (select id from t) from t"),
    "raised": lambda: sql("select raise_error(concat('bad ', text)) from t"),
    "column": lambda: sql("select nope from t"),
    "table": lambda: sql("select * from nope"),
    "syntax": lambda: sql("selec 1"),
    "aggregate": lambda: sql("select id, count(*) from t"),
    "type": lambda: sql("select ids + 1 from t"),
    "ambiguous": lambda: sql("select id from t a join t b on a.id = b.id"),
    "path": lambda: spark.read.parquet(str(folder / "nowhere")).collect(),
    "scheme": lambda: spark.read.parquet("nope://bucket/path").collect(),
    "hdfs": lambda: spark.read.parquet("hdfs://127.0.0.1:1/path").collect(),
    "source": lambda: spark.read.format("nope").load().collect(),
    "jdbc": lambda: spark.read.jdbc("jdbc:nope://host/db", "t").collect(),
    "csv-type": lambda: spark.range(8).select(F.array("id")).write.csv(str(folder / "csv")),
    "garbage": read_garbage,
    "deleted": read_deleted,
    "other-type": read_other_type,
    "twice": write_twice,
    "malformed": read_malformed,
    "result": large_result,
    "task-size": large_task,
    "broadcast": slow_broadcast,
    "heap": fill_the_executor,
    "plan": unending_plan,
    "stream": failing_stream,
    "stream-mode": stream_with_other_mode,
    "program": own_error,
}

FAILURES[name]()
