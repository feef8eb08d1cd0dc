#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of profiling: CPU time of a job with and without `sparkprof run`, in interleaved pairs.

The same job, a fixed amount of work, runs plain and profiled in turn; which of the two goes first changes with every pair. The
cost of a run is the CPU time of its control group: spark-submit, the JVM, Python workers, and in the profiled run the agent and
sparkprof itself (without the report, which is made after the job), whoever outlives whom. Without a control group (they need root)
it is the user and system CPU time of all processes that were waited for. Printed: each pair, the mean difference with its 95%
confidence interval (Student's t), and both means by thread: a thread's CPU time as it was last seen, 30 ms before its end at most;
"unseen" is the rest of the control group.

Jobs: empty (a Spark session and nothing else), jvm (WordStorm), python (the demo job), stream (a stateful query with 200
partitions), alloc (allocates without pause), lock (32 threads wait for one lock), threads (1,000 idle threads beside two busy ones),
native (shuffles and writes with zstd, which allocates and frees native memory), or any command behind `--`. Run it on an idle
machine; on a busy one, more pairs and CPU time by thread still show what costs:

    bench/profiling_cost.py --pairs 10 --job empty
    bench/profiling_cost.py --pairs 10 -- spark-submit job.py

With --base-options, the plain run is profiled, too, with these options: the difference is the cost of what --run-options add. That of
native memory:

    bench/profiling_cost.py --job native --base-options= --run-options='--event cpu,wall,alloc,lock,nativemem'
"""

import argparse
import collections
import contextlib
import ctypes
import math
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading

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

EMPTY_JOB = """
from pyspark.sql import SparkSession

SparkSession.builder.getOrCreate().stop()
"""

# A fixed number of rows through a UDF; two cores need about a second for 90,000.
UDF_JOB = """
import sys
from pyspark.sql import SparkSession, functions as f


def score(number):
    value = 0.0
    for step in range(300):
        value = (value * 0.93 + number * (step % 7)) % 1000.003
    return value


spark = SparkSession.builder.getOrCreate()
spark.range(0, int(sys.argv[1]), 1, 8).select(f.udf(score, "double")("id").alias("score")).agg({"score": "sum"}).collect()
spark.stop()
"""

STREAM_JOB = """
import sys
from pyspark.sql import SparkSession, functions as f

spark = SparkSession.builder.config("spark.sql.shuffle.partitions", 200).getOrCreate()
folder = sys.argv[2]
for part in range(int(sys.argv[1])):
    spark.range(part * 100_000, (part + 1) * 100_000, 1, 1).write.mode("append" if part else "overwrite").parquet(folder + "/in")
rows = spark.readStream.schema("id long").option("maxFilesPerTrigger", 1).parquet(folder + "/in")
counts = rows.groupBy((f.col("id") % 1000).alias("key")).count()
query = counts.writeStream.format("noop").outputMode("update").trigger(availableNow=True)
query.option("checkpointLocation", sys.argv[3]).start().awaitTermination()
"""

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


# The first match names a thread's row; "process/thread", as the kernel cuts their names.
ROWS = (
    (re.compile(r"^sparkprof-agent/"), "agent"),
    (re.compile(r"^sparkprof/"), "wrapper (sparkprof run)"),
    (re.compile(r"^java/(C[12] Comp|JVMCI)"), "JIT compilers"),
    (re.compile(r"^java/Sweeper"), "code sweeper"),
    (re.compile(r"^java/(sparkprof-|Async-profiler)"), None),
    (re.compile(r"^java/(G1|GC Thread|Parallel|Concurrent )"), "garbage collection"),
    (re.compile(r"^java/VM "), "VM threads"),
    (re.compile(r"^java/(Executor task|Spark task)"), "tasks"),
    (re.compile(r"^java/process reaper"), "process reapers"),
    (re.compile(r"^java/(spark-listener|listener-bus)"), "listener bus"),
    (re.compile(r"^java/java$"), "main thread"),
    (re.compile(r"^java/"), "other JVM threads"),
    (re.compile(r"^python"), "Python"),
)


def row_of(process, thread):
    name = f"{process}/{thread}"
    for pattern, row in ROWS:
        if pattern.match(name):
            return row or re.sub(r"[-0-9]+$", "", thread)
    return "other processes"


class ControlGroup:
    """A control group of its own for one command, of version 1 or 2; None of it where they cannot be made."""

    MOUNTS = (("/sys/fs/cgroup/cpuacct", "cpuacct.usage"), ("/sys/fs/cgroup", "cpu.stat"))

    def __init__(self):
        self.folder, self.usage = None, None
        for mount, usage in self.MOUNTS:
            folder = pathlib.Path(mount) / f"profiling_cost-{os.getpid()}"
            with contextlib.suppress(OSError):
                folder.mkdir(exist_ok=True)
                if (folder / usage).exists():
                    self.folder, self.usage = folder, folder / usage
                    return
                folder.rmdir()

    def enter(self):
        """For a child before it becomes the command."""
        if self.folder:
            (self.folder / "cgroup.procs").write_text("0", encoding="ascii")

    def processes(self):
        return (self.folder / "cgroup.procs").read_text(encoding="ascii").split() if self.folder else []

    def seconds(self):
        if not self.folder:
            return None
        text = self.usage.read_text(encoding="ascii")
        found = re.search(r"usage_usec (\d+)", text)
        return int(found[1]) / 1e6 if found else int(text) / 1e9

    def close(self):
        if self.folder:
            with contextlib.suppress(OSError):
                self.folder.rmdir()


class Threads:
    """CPU seconds of all threads of a control group, read again and again until the end."""

    INTERVAL_SECONDS = 0.03

    def __init__(self, group):
        self.group = group
        self.seconds, self.names = {}, {}
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while not self.over.wait(self.INTERVAL_SECONDS):
            self.look()

    def look(self):
        for pid in self.group.processes():
            with contextlib.suppress(OSError):
                process = pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
                for thread in os.scandir(f"/proc/{pid}/task"):
                    with contextlib.suppress(OSError), open(f"{thread.path}/schedstat", encoding="ascii") as schedstat:
                        nanos = int(schedstat.read().split()[0])
                        key = (pid, thread.name)
                        if self.seconds.get(key) == nanos:
                            continue
                        self.seconds[key] = nanos
                        self.names.setdefault(key, (process, ""))  # should it end before its name is read
                        # A thread gets its name after its first instructions, a process with its program.
                        name = pathlib.Path(f"{thread.path}/comm").read_text(encoding="utf-8", errors="replace").strip()
                        self.names[key] = (process, name)

    def rows(self):
        """Seconds by row; the looks are over then."""
        self.over.set()
        self.thread.join()
        rows = collections.Counter()
        for key, nanos in self.seconds.items():
            rows[row_of(*self.names[key])] += nanos / 1e9
        return rows


def measure(command, environment, expect=0):
    """CPU seconds of the command, and of its threads by row."""
    group = ControlGroup()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = group.seconds()
    threads = Threads(group)
    # pylint: disable=subprocess-popen-preexec-fn
    result = subprocess.run(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False, preexec_fn=group.enter
    )
    with contextlib.suppress(ChildProcessError):
        while True:  # children that outlived their parent
            os.wait()
    rows = threads.rows()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if start is not None:
        seconds = group.seconds() - start
        rows["unseen"] = seconds - sum(rows.values())
    group.close()
    if result.returncode != expect:
        sys.exit(f"profiling_cost: {' '.join(map(str, command))}: exit {result.returncode}\n{result.stderr[-2000:]}")
    return seconds, rows


def print_rows(plain, profiled):
    """Means by row, and the difference of each pair: the greatest first."""
    names = set().union(*plain, *profiled)
    table = []
    for name in names:
        differences = [after[name] - before[name] for before, after in zip(plain, profiled, strict=True)]
        mean, half = mean_and_half_width(differences)
        table.append((mean, half, name, statistics.fmean(row[name] for row in plain), statistics.fmean(row[name] for row in profiled)))
    print(f"{'CPU seconds by thread':28} {'plain':>9} {'profiled':>9} {'more':>8}")
    for mean, half, name, before, after in sorted(table, reverse=True):
        print(f"{name:28} {before:9.2f} {after:9.2f} {mean:+8.2f} ± {half:.2f}")


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
    if options.job in ("empty", "stream"):
        job = pathlib.Path(folder) / f"{options.job}.py"
        job.write_text(EMPTY_JOB if options.job == "empty" else STREAM_JOB, encoding="utf-8")
        return [str(job), str(max(1, round(options.seconds / 6))), folder]
    if options.job == "udf":
        job = pathlib.Path(folder) / "udf.py"
        job.write_text(UDF_JOB, encoding="utf-8")
        return [str(job), str(int(options.seconds * 90_000))]
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
    arguments.add_argument(
        "--job", choices=("empty", "jvm", "python", "udf", "stream", "alloc", "lock", "threads", "native"), default="jvm"
    )
    arguments.add_argument("command", nargs="*", help="a command to profile instead of a job")
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
        plain = options.command or ["spark-submit", "--master", "local[2]", *job_words(options, environment["SPARK_HOME"], folder)]
        run = [str(REPOSITORY / "bin/sparkprof"), "run", "--no-report", "--output-dir", f"{folder}/out"]
        profiled = [*run, *options.run_options.split(), "--", *plain]
        if options.base_options is not None:
            plain = [*run, *options.base_options.split(), "--", *plain]
        runs = 0

        def run_once(command):
            nonlocal runs
            runs += 1
            last = [f"{folder}/checkpoint-{runs}"] if options.job == "stream" and not options.command else []
            return measure([*command, *last], environment)

        run_once(plain)  # warms the page cache
        costs, differences, rows = [], [], ([], [])
        base = "plain" if options.base_options is None else "base"
        for pair in range(options.pairs):
            order = (plain, profiled) if pair % 2 == 0 else (profiled, plain)
            measured = {id(command): run_once(command) for command in order}
            (before, before_rows), (after, after_rows) = measured[id(plain)], measured[id(profiled)]
            costs.append(100 * (after - before) / before)
            differences.append(after - before)
            rows[0].append(before_rows)
            rows[1].append(after_rows)
            print(f"pair {pair + 1:2}: {base} {before:6.2f} s, profiled {after:6.2f} s, {costs[-1]:+.2f}%", flush=True)
        print_rows(*rows)
        mean, half = mean_and_half_width(costs)
        seconds, half_seconds = mean_and_half_width(differences)
        print(
            f"{options.command[0] if options.command else options.job}: profiling costs {mean:+.2f}% CPU, "
            f"95% interval {mean - half:+.2f} to {mean + half:+.2f}%; {seconds:+.2f} s ± {half_seconds:.2f} s ({len(costs)} pairs)"
        )


if __name__ == "__main__":
    main()
