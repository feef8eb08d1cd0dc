#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of `prove --output-check full`: result_fingerprint_cost.py [MILLIONS_OF_ROWS [RUNS]]

A real Spark job writes rows of ten columns to a sink that drops them and to Parquet, with the plugin in both arms. The first arm
does not fingerprint results. Prints the CPU time of the tasks per row, and the medians' difference."""

import pathlib
import statistics
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tests" / "e2e"))

from spark_jobs import Spark, run_job  # noqa: E402

JOB = """
import sys
from pyspark.sql import SparkSession
rows, folder = int(sys.argv[1]), sys.argv[2]
spark = SparkSession.builder.getOrCreate()
frame = spark.range(0, rows, 1, 8).selectExpr(
    "id", "id % 1000 as customer", "cast(id % 17 as int) as items", "id * 0.5D as price", "cast(id as decimal(12, 2)) as tax",
    "concat('note ', id % 10007) as note", "date_add(date'2026-01-01', cast(id % 365 as int)) as day",
    "timestamp_millis(id * 1000) as at", "id % 2 = 0 as paid", "if(id % 5 = 0, null, id % 97) as shop")
frame.limit(1000).write.format("noop").mode("overwrite").save()
spark.sparkContext.setJobDescription("dropped")
frame.write.format("noop").mode("overwrite").save()
spark.sparkContext.setJobDescription("parquet")
frame.write.mode("overwrite").parquet(folder)
spark.stop()
"""


def cpu_seconds(level, rows):
    """{sink: CPU seconds of its tasks}"""
    with tempfile.TemporaryDirectory(prefix="sparkprof-bench-") as folder:
        job = pathlib.Path(folder) / "job.py"
        job.write_text(JOB, encoding="utf-8")
        profile = run_job(folder, job, rows, f"{folder}/parquet", spark=Spark(), conf={"spark.sparkprof.results": level}, cwd=folder)
        executions = {row["id"]: row["description"] for row in profile.show("sql")}
        seconds = {}
        for stage in profile.show("stages"):
            sink = executions.get(stage["sqlExecutionId"])
            seconds[sink] = seconds.get(sink, 0) + stage["executorCpuTime"] / 1e9
        return seconds


def main():
    rows = int(sys.argv[1] if len(sys.argv) > 1 else 10) * 1_000_000
    runs = int(sys.argv[2] if len(sys.argv) > 2 else 3)
    arms = {"off": [], "full": []}
    for _ in range(runs):
        for level, measured in arms.items():
            measured.append(cpu_seconds(level, rows))
    for sink in ("dropped", "parquet"):
        off, full = (statistics.median(run[sink] for run in arms[level]) for level in ("off", "full"))
        print(f"{sink:8} {off / rows * 1e9:5.0f} ns per row, with fingerprints {full / rows * 1e9:5.0f} ns ({full / off - 1:+.1%})")


if __name__ == "__main__":
    main()
