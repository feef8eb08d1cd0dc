#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pause of a heap summary by the size of the heap: heap_summary_cost.py [MEGABYTES…]

A real Spark job caches rows as Java objects (small ones, the expensive case) or as columns (large arrays) until its heap has that
size, and then holds them. Prints the pauses of the summaries of that time."""

import pathlib
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tests" / "e2e"))

from spark_jobs import Spark, run_job  # noqa: E402

JOB = """
import sys, time
from pyspark.sql import SparkSession
kind, rows = sys.argv[1], int(sys.argv[2])
spark = SparkSession.builder.getOrCreate()
frame = spark.range(0, rows, 1, 8).selectExpr("id", "id * 7 AS amount", "id % 1000 AS customer")
held = frame._jdf.javaRDD().cache() if kind == "objects" else frame.cache()
held.count()
spark.sparkContext._jvm.java.lang.System.gc()
time.sleep(25)
spark.stop()
"""
ROWS_PER_MEGABYTE = {"objects": 8_400, "columns": 43_000}


def measure(spark, kind, megabytes):
    with tempfile.TemporaryDirectory(prefix="sparkprof-bench-") as folder:
        job = pathlib.Path(folder) / "job.py"
        job.write_text(JOB, encoding="utf-8")
        conf = {
            "spark.driver.memory": f"{megabytes * 2 + 1000}m",
            "spark.memory.fraction": 0.8,
            "spark.sql.inMemoryColumnarStorage.compressed": "false",
            "spark.sparkprof.heapSummary.maxPause": "1m",
        }
        rows = ROWS_PER_MEGABYTE[kind] * megabytes
        profile = run_job(folder, job, kind, rows, spark=spark, conf=conf, sparkprof=["--heap-summary", "10s"], cwd=folder)
        summaries = profile.show("heap_summaries")
    for summary in summaries[-3:]:
        nanoseconds = summary["pauseMs"] * 1e6 / summary["instances"]
        print(
            f"{kind:8} {summary['bytes'] / 2**20:7.0f} MiB {summary['instances'] / 1e6:6.1f} million objects "
            f"{summary['pauseMs']:7.0f} ms  {nanoseconds:4.0f} ns per object",
            flush=True,
        )


def main():
    spark = Spark()
    for megabytes in map(int, sys.argv[1:] or ("100", "1000", "4000")):
        for kind in ROWS_PER_MEGABYTE:
            measure(spark, kind, megabytes)


if __name__ == "__main__":
    main()
