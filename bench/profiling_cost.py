#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What profiling costs: CPU time of a job with and without `sparkprof run`, interleaved, in pairs.

Method: the same job (a fixed amount of work) runs plain and profiled in turn, which of the two goes first changes with
every pair. A run's cost is the user and system CPU time of all its processes as the operating system accounts for them
once they have been waited for: spark-submit, the JVM, Python workers, and for the profiled run the agent and sparkprof
itself (without the report, which is made after the job). Printed: each pair, then the median ratio and its range.

Run it on an otherwise quiet machine: make bench, or bench/profiling_cost.py --pairs 10 --job demo
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]


def cpu_seconds(command, environment):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"profiling_cost: {' '.join(command)}: exit {result.returncode}\n{result.stderr[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def word_storm(spark_home, folder, lines):
    classes = pathlib.Path(folder) / "classes"
    classes.mkdir()
    subprocess.run(
        ["javac", "-cp", f"{spark_home}/jars/*", "-d", classes, REPOSITORY / "examples/jvm/WordStorm.java"], check=True
    )
    jar = pathlib.Path(folder) / "word-storm.jar"
    subprocess.run(["jar", "cf", jar, "-C", classes, "."], check=True)
    return ["--class", "WordStorm", str(jar), str(lines)]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--pairs", type=int, default=10)
    arguments.add_argument("--job", choices=("jvm", "demo"), default="jvm")
    arguments.add_argument("--lines", type=int, default=6_000_000, help="work of the jvm job: more makes the start count less")
    arguments.add_argument("--run-options", default="", help="options for sparkprof run, separated by spaces")
    options = arguments.parse_args()
    environment = dict(os.environ, SPARK_LOCAL_IP="127.0.0.1")
    if "SPARK_HOME" not in environment:
        sys.exit('profiling_cost: SPARK_HOME is not set: eval "$(make -s env)" first')
    with tempfile.TemporaryDirectory() as folder:
        job = word_storm(environment["SPARK_HOME"], folder, options.lines) if options.job == "jvm" else [str(REPOSITORY / "examples/demo_job.py")]
        plain = ["spark-submit", "--master", "local[2]", *job]
        profiled = [
            str(REPOSITORY / "bin/sparkprof"), "run", "--no-report", *options.run_options.split(),
            "--output", f"{folder}/out", "--", *plain,
        ]
        cpu_seconds(plain, environment)  # warms the page cache
        ratios = []
        for pair in range(options.pairs):
            order = (plain, profiled) if pair % 2 == 0 else (profiled, plain)
            seconds = {id(command): cpu_seconds(command, environment) for command in order}
            ratios.append(seconds[id(profiled)] / seconds[id(plain)])
            print(f"pair {pair + 1:2}: plain {seconds[id(plain)]:6.2f} s, profiled {seconds[id(profiled)]:6.2f} s, ratio {ratios[-1]:.4f}", flush=True)
        print(
            f"profiling costs {100 * (statistics.median(ratios) - 1):+.2f} % CPU "
            f"(median of {len(ratios)} pairs, {100 * (min(ratios) - 1):+.2f} to {100 * (max(ratios) - 1):+.2f} %)"
        )


if __name__ == "__main__":
    main()
