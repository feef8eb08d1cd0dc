#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of profiling: CPU time of a job with and without `sparkprof run`, in interleaved pairs.

The same job, a fixed amount of work, runs plain and profiled in turn; which of the two goes first changes with every pair. The
cost of a run is the user and system CPU time of all its processes: spark-submit, the JVM, Python workers, and in the profiled run
the agent and sparkprof itself (without the report, which is made after the job). Processes that outlive their parent are
waited for, too. Printed: each pair, then the mean difference with its 95% confidence interval (Student's t).

Jobs: jvm (WordStorm), python (the demo job), alloc (allocates without pause), lock (32 threads wait for one lock), threads (1,000
idle threads beside two busy ones), native (shuffles and writes with zstd, which allocates and frees native memory). Run it on an idle
machine:

    bench/profiling_cost.py --pairs 10 --job alloc

With --base-options, the plain run is profiled, too, with these options: the difference is the cost of what --run-options add. That of
native memory:

    bench/profiling_cost.py --job native --base-options= --run-options='--event cpu,wall,alloc,lock,nativemem'
"""

import argparse
import contextlib
import ctypes
import math
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
PR_SET_CHILD_SUBREAPER = 36
# Student's t for 95%, two-sided, by degrees of freedom.
STUDENT = (
    math.nan,
    12.706,
    4.303,
    3.182,
    2.776,
    2.571,
    2.447,
    2.365,
    2.306,
    2.262,
    2.228,
    2.201,
    2.179,
    2.160,
    2.145,
    2.131,
    2.120,
    2.110,
    2.101,
    2.093,
    2.086,
    2.080,
    2.074,
    2.069,
    2.064,
    2.060,
    2.056,
    2.052,
    2.048,
    2.045,
    2.042,
)

NATIVE_JOB = """
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.config("spark.io.compression.codec", "zstd").getOrCreate()
for part in range(int(sys.argv[1])):
    rows = spark.range(0, 1_000_000, 1, 8).selectExpr(f"sha2(string(id + {part}), 256) text").repartition(8, "text")
    rows.write.mode("overwrite").option("compression", "zstd").parquet(sys.argv[2])
"""


def mean_and_half_width(values):
    """The mean, and half the width of its 95% confidence interval."""
    quantile = STUDENT[min(len(values) - 1, len(STUDENT) - 1)] if len(values) > 1 else math.inf
    spread = statistics.stdev(values) if len(values) > 1 else 0
    return statistics.fmean(values), quantile * spread / math.sqrt(len(values))


def cpu_seconds(command, environment):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"profiling_cost: {' '.join(command)}: exit {result.returncode}\n{result.stderr[-2000:]}")
    with contextlib.suppress(ChildProcessError):
        while True:  # what outlived its parent
            os.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compiled(source, spark_home, folder):
    """The class's jar, and its options for spark-submit."""
    classes = pathlib.Path(folder) / "classes"
    classes.mkdir()
    subprocess.run(["javac", "-cp", f"{spark_home}/jars/*", "-d", classes, REPOSITORY / source], check=True)
    jar = pathlib.Path(folder) / "job.jar"
    subprocess.run(["jar", "cf", jar, "-C", classes, "."], check=True)
    return ["--class", pathlib.Path(source).stem, str(jar)]


def job_words(options, spark_home, folder):
    seconds = str(options.seconds)
    if options.job == "python":
        return [str(REPOSITORY / "examples/demo_job.py")]
    if options.job == "native":
        job = pathlib.Path(folder) / "native.py"
        job.write_text(NATIVE_JOB, encoding="utf-8")
        return [str(job), str(max(1, round(options.seconds / 2))), f"{folder}/table"]
    if options.job == "jvm":
        return [*compiled("examples/jvm/WordStorm.java", spark_home, folder), str(int(options.seconds * 200_000))]
    arguments = {
        "alloc": ["alloc", "0", "2", str(max(1, int(options.seconds * 2)))],
        "lock": ["lock", seconds, "2", "16"],
        "threads": ["threads", str(options.seconds * 2), "2", "500"],
    }[options.job]
    return [*compiled("tests/e2e/jobs/KnownLoad.java", spark_home, folder), *arguments]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--pairs", type=int, default=10)
    arguments.add_argument("--job", choices=("jvm", "python", "alloc", "lock", "threads", "native"), default="jvm")
    arguments.add_argument(
        "--seconds", type=float, default=30, help="about the duration of the job's work; the longer, the less the start counts"
    )
    arguments.add_argument("--run-options", default="", help="options for sparkprof run, separated by spaces")
    arguments.add_argument("--base-options", help="compare with a run that is profiled, with these options")
    options = arguments.parse_args()
    environment = dict(os.environ, SPARK_LOCAL_IP="127.0.0.1")
    if "SPARK_HOME" not in environment:
        sys.exit('profiling_cost: SPARK_HOME is not set: eval "$(make -s env)" first')
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as folder:
        plain = ["spark-submit", "--master", "local[2]", *job_words(options, environment["SPARK_HOME"], folder)]
        run = [str(REPOSITORY / "bin/sparkprof"), "run", "--no-report", "--output-dir", f"{folder}/out"]
        profiled = [*run, *options.run_options.split(), "--", *plain]
        if options.base_options is not None:
            plain = [*run, *options.base_options.split(), "--", *plain]
        cpu_seconds(plain, environment)  # warms the page cache
        costs = []
        base = "plain" if options.base_options is None else "base"
        for pair in range(options.pairs):
            order = (plain, profiled) if pair % 2 == 0 else (profiled, plain)
            seconds = {id(command): cpu_seconds(command, environment) for command in order}
            before, after = seconds[id(plain)], seconds[id(profiled)]
            costs.append(100 * (after - before) / before)
            print(f"pair {pair + 1:2}: {base} {before:6.2f} s, profiled {after:6.2f} s, {costs[-1]:+.2f}%", flush=True)
        mean, half = mean_and_half_width(costs)
        print(
            f"{options.job}: profiling costs {mean:+.2f}% CPU, 95% interval {mean - half:+.2f} to {mean + half:+.2f}% ({len(costs)} pairs)"
        )


if __name__ == "__main__":
    main()
