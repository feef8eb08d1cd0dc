#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of profiling Python functions to a job: sparkprof next to PySpark's own profilers.

    eval "$(make -s env)"; bench/python_profilers.py [--rows 400000] [--runs 3] [--kinds none sparkprof rdd perf memory]

The job is call-heavy: for each row a function calls another one twenty times, as an RDD function (rdd is
spark.python.profile=true) or as a UDF (perf and memory are spark.sql.pyspark.udf.profiler). Each kind runs in a Spark of
its own; a job's time is the median of --runs after one to warm up. memory needs memory_profiler and gets a tenth of the
rows; what cannot run is left out.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
JOB = """
import statistics, sys, time
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf
kind, shape, rows, runs = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
if kind == "rdd":
    builder = builder.config("spark.python.profile", "true")
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
if kind in ("perf", "memory"):
    spark.conf.set("spark.sql.pyspark.udf.profiler", kind)

def small(x):
    return x * x % 7

def large(x):
    total = 0
    for i in range(20):
        total += small(x + i)
    return total

function = udf(large, "long")

def job():
    if shape == "rdd":
        return spark.sparkContext.parallelize(range(rows), 4).map(large).sum()
    return spark.range(0, rows, 1, 4).select(function("id").alias("y")).agg({"y": "sum"}).collect()

job()
times = []
for _ in range(runs):
    begin = time.monotonic()
    job()
    times.append(time.monotonic() - begin)
print("RESULT", statistics.median(times))
spark.stop()
"""


def run(kind, shape, rows, options, folder):
    """Seconds of the job; None when it did not run."""
    job = folder / "job.py"
    job.write_text(JOB, encoding="utf-8")
    command = ["python", str(job), kind, shape, str(rows), str(options.runs)]
    if kind == "sparkprof":
        command = [options.sparkprof, "run", "--no-report", "--output-dir", str(folder / "out"), "--", *command]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    for line in result.stdout.splitlines():
        if line.startswith("RESULT "):
            return float(line.split()[1])
    print(f"{kind} on {shape}: left out: {result.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--kinds", nargs="*", default=["sparkprof", "rdd", "perf", "memory"])
    parser.add_argument("--sparkprof", default=str(REPOSITORY / "bin/sparkprof"))
    options = parser.parse_args()
    plain = {}
    for kind in options.kinds:
        for shape in {"sparkprof": ("rdd", "udf"), "rdd": ("rdd",)}.get(kind, ("udf",)):
            rows = options.rows // 10 if kind == "memory" else options.rows
            with tempfile.TemporaryDirectory() as folder:
                if (shape, rows) not in plain:
                    plain[shape, rows] = run("none", shape, rows, options, pathlib.Path(folder))
                seconds = run(kind, shape, rows, options, pathlib.Path(folder))
            if seconds and plain[shape, rows]:
                print(
                    f"{kind:9} on {shape}, {rows} rows: {plain[shape, rows]:.2f} s -> {seconds:.2f} s, "
                    f"{seconds / plain[shape, rows]:.2f}x (median of {options.runs})",
                    flush=True,
                )


if __name__ == "__main__":
    main()
