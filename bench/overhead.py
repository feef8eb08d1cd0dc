#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The overhead of profiling as a fixed cost of a start and a slope per hour, for the driver and an executor: docs/overhead.md.

    bench/overhead.py [--pairs 10] [--jobs jvm udf alloc] [--seconds 30 150] [--spark HOME…] [--java HOME…] [--minutes N]
                      [--write docs/overhead.md]
    bench/overhead.py --quick      # three pairs of 3 and 18 s, within 15 minutes

Each job runs in a driver and one executor of two cores (local-cluster), short and long, plain and profiled, in interleaved pairs. What a
profiled run needs more than the plain one of its pair is fixed + slope x duration: two lengths give both, each with its mean and 95%
interval over the pairs. Every job runs one pair after another, and none begins that would exceed --minutes. The control group (root) has the CPU time, the rest is read from /proc every 30 ms, and heap and garbage
collection from Spark's own event log. Run it on an idle machine; it prints each run, then the page, which --write saves.
"""

import argparse
import collections
import contextlib
import ctypes
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time
import types

from profiling_cost import PR_SET_CHILD_SUBREAPER, REPOSITORY, ControlGroup, Threads, job_words, mean_and_half_width

ROLES = ("driver", "executor")
QUANTITIES = {"cpu": "CPU s", "memory": "MiB", "disk": "MiB written", "heap": "MiB of heap", "gc": "s of GC"}
MIB = 1 << 20
SHORTEST_SECONDS = 0.5  # shorter processes have no memory of their own

PAGE = """# Overhead

Measured on {date} by `bench/overhead.py {options}`: {machine}.

Each figure is the mean over {pairs} pairs of a profiled and a plain run, with its 95% interval. A profiled run costs the fixed part once,
and the slope for each hour of its duration. A slope that these runs do not show, because its interval contains 0, is unknown, and the fixed
part is then the mean of short and long runs.

Driver and executor are their JVMs with their agents, Python processes, and for the driver `sparkprof run`. CPU time is that of all threads;
memory is the sum of the largest resident memory of each process that lives for half a second; disk is what reached storage; heap and GC are
Spark's own metrics. A recording of the size in the last column is written, or sent over the network instead.

{table}

## Each run

{runs}
"""


class Processes(Threads):
    """CPU time, memory and written bytes of a control group's processes, by role."""

    def __init__(self, group):
        self.roles, self.begin, self.memory, self.disk = {}, {}, {}, {}
        super().__init__(group)

    def look(self):
        super().look()
        for pid in self.group.processes():
            with contextlib.suppress(OSError, StopIteration, ValueError, KeyError):  # it ends
                folder = pathlib.Path("/proc", pid)
                status = dict(line.split(":", 1) for line in (folder / "status").read_text(encoding="utf-8").splitlines())
                command = (folder / "cmdline").read_bytes()
                # A process is of its parent's role; the executor's JVM begins one.
                if b"CoarseGrainedExecutorBackend" in command:
                    self.roles[pid] = "executor"
                else:
                    self.roles.setdefault(pid, self.roles.get(status["PPid"].strip(), "driver"))
                # A process that runs another program begins with its parent's memory.
                if time.monotonic() - self.begin.setdefault(pid, time.monotonic()) > SHORTEST_SECONDS:
                    self.memory[pid] = int(status["VmHWM"].split()[0]) * 1024
                io = (folder / "io").read_text(encoding="ascii").splitlines()
                self.disk[pid] = int(next(line for line in io if line.startswith("write_bytes")).split()[1])

    def quantities(self):
        """{(role, quantity): value}; the looks are over then."""
        self.over.set()
        self.thread.join()
        sums = collections.Counter()
        for (pid, _), nanos in self.seconds.items():
            sums[self.roles.get(pid, "driver"), "cpu"] += nanos / 1e9
        for quantity, by_process in (("memory", self.memory), ("disk", self.disk)):
            for pid, size in by_process.items():
                sums[self.roles[pid], quantity] += size / MIB
        return sums


def add_spark_metrics(folder, sums):
    """The largest heap and the time of collections, by the event log."""
    # Until Spark 3, a log is one file; since then, a folder with its status and its parts.
    for log in (file for file in pathlib.Path(folder).rglob("[!.]*") if file.is_file()):
        for line in log.read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            metrics = event.get("Executor Metrics")
            if event.get("Event") != "SparkListenerStageExecutorMetrics" or not metrics:
                continue
            role = "driver" if event["Executor ID"] == "driver" else "executor"
            sums[role, "heap"] = max(sums[role, "heap"], metrics.get("JVMHeapMemory", 0) / MIB)
            sums[role, "gc"] = max(sums[role, "gc"], metrics.get("TotalGCTime", 0) / 1e3)


def run_once(command, environment, folder):
    """What the command needed, its duration in hours, and the size of its recording in MiB."""
    events, output = (pathlib.Path(folder, name) for name in ("events", "out"))
    for each in (events, output):
        subprocess.run(["rm", "-rf", each], check=True)
    events.mkdir()
    group = ControlGroup()
    if group.folder is None:
        sys.exit("overhead: no control group can be made here (it needs root)")
    processes, begin = Processes(group), time.monotonic()
    # pylint: disable=subprocess-popen-preexec-fn
    result = subprocess.run(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False, preexec_fn=group.enter
    )
    hours = (time.monotonic() - begin) / 3600
    with contextlib.suppress(ChildProcessError):
        while True:  # children that outlived their parent
            os.wait()
    sums = processes.quantities()
    group.close()
    if result.returncode != 0:
        sys.exit(f"overhead: {' '.join(map(str, command))}: exit {result.returncode}\n{result.stderr[-2000:]}")
    add_spark_metrics(events, sums)
    recording = sum(file.stat().st_size for file in output.glob("*.sprof")) / MIB if output.exists() else 0
    return sums, hours, recording


def line_through(short, long):
    """Fixed cost and slope per hour, each with half the width of its interval, of (more, hours) of pairs of both lengths.

    A slope whose interval contains 0 is None; then the fixed cost is the mean of all pairs.
    """
    first, last = (sum(hours for _, hours in pairs) / len(pairs) for pairs in (short, long))
    slopes = [(more_long - more) / (last - first) for (more, _), (more_long, _) in zip(short, long, strict=True)]
    slope, half = mean_and_half_width(slopes)
    if abs(slope) <= half:
        return mean_and_half_width([more for more, _ in short + long]), None
    fixed = [more - each * first for (more, _), each in zip(short, slopes, strict=True)]
    return mean_and_half_width(fixed), (slope, half)


class Job:
    """A job with one Spark and Java, and what profiling it cost."""

    def __init__(self, name, place, seconds, folder):
        spark, java = place
        self.environment = dict(os.environ, SPARK_HOME=spark, SPARK_LOCAL_IP="127.0.0.1", PATH=f"{spark}/bin:{os.environ['PATH']}")
        self.commands = []
        for each in seconds:
            self.commands.append(job_words(types.SimpleNamespace(job=name, seconds=each), spark, tempfile.mkdtemp(dir=folder)))
        if java:
            self.environment["JAVA_HOME"] = java
        core = next(pathlib.Path(spark, "jars").glob("spark-core_*.jar")).stem
        self.name = f"{name}, Spark {core.split('-', 2)[2]}" + (f", {pathlib.Path(java).name}" if java else "")
        self.more, self.runs, self.recordings = collections.defaultdict(lambda: ([], [])), [], []

    def measure(self, pair, folder):
        """One pair of each length."""
        for length, words in enumerate(self.commands):
            with tempfile.TemporaryDirectory(dir=folder) as work:
                conf = ["--conf", "spark.eventLog.enabled=true", "--conf", f"spark.eventLog.dir=file:{work}/events"]
                conf += ["--conf", "spark.eventLog.logStageExecutorMetrics=true", "--conf", "spark.eventLog.compress=false"]
                plain = ["spark-submit", "--master", "local-cluster[1,2,1024]", *conf, *words]
                profiled = [REPOSITORY / "bin/sparkprof", "run", "--no-report", "--output-dir", f"{work}/out", "--", *plain]
                order = (plain, profiled) if (pair + length) % 2 == 0 else (profiled, plain)
                measured = {id(command): run_once(list(map(str, command)), self.environment, work) for command in order}
            (before, _, _), (after, hours, recording) = measured[id(plain)], measured[id(profiled)]
            self.recordings.append(recording / hours)
            for role in ROLES:
                for quantity in QUANTITIES:
                    self.more[role, quantity][length].append((after[role, quantity] - before[role, quantity], hours))
            values = " | ".join(f"{after[role, quantity] - before[role, quantity]:+.2f}" for role in ROLES for quantity in QUANTITIES)
            self.runs.append(f"| {self.name} | {pair + 1} | {hours * 3600:.0f} s | {values} |")
            print(self.runs[-1], flush=True)

    def rows(self):
        rows = []
        for role in ROLES:
            cells = []
            for quantity in QUANTITIES:
                (fixed, half), slope = line_through(*self.more[role, quantity])
                per_hour = "unknown" if slope is None else f"{slope[0]:+.1f} ± {slope[1]:.1f}"
                cells.append(f"{fixed:+.2f} ± {half:.2f}; {per_hour}")
            rows.append(f"| {self.name} | {role} | " + " | ".join(cells) + f" | {mean_and_half_width(self.recordings)[0]:.1f} |")
        return rows


def measure_all(jobs, options, folder):
    """The number of pairs of each job."""
    begin, longest = time.monotonic(), 0
    for pair in range(options.pairs):
        now = time.monotonic()
        if now - begin + longest > options.minutes * 60:
            return pair
        for job in jobs:
            job.measure(pair, folder)
        longest = max(longest, time.monotonic() - now)
    return options.pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--jobs", nargs="+", default=["jvm", "udf", "alloc"])
    parser.add_argument("--seconds", nargs=2, type=float, default=[30, 150], help="about the durations of a job's work")
    parser.add_argument("--spark", nargs="+", default=[os.environ.get("SPARK_HOME", "")])
    parser.add_argument("--java", nargs="+", default=[os.environ.get("JAVA_HOME", "")])
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--quick", action="store_true", help="few pairs of short runs")
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    if options.quick:
        options.pairs, options.seconds, options.minutes = 3, [3, 18], 15
    load = os.getloadavg()[0]
    if "" in options.spark:
        sys.exit('overhead: SPARK_HOME is not set: eval "$(make -s env)" first')
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    places = [(spark, java) for spark in options.spark for java in options.java]
    with tempfile.TemporaryDirectory() as folder:
        jobs = [Job(name, place, options.seconds, folder) for place in places for name in options.jobs]
        pairs = measure_all(jobs, options, folder)
    if pairs < 2:
        sys.exit("overhead: the machine is too busy for two pairs in that time")
    rows, runs = [row for job in jobs for row in job.rows()], [run for job in jobs for run in job.runs]
    fixed = " | ".join(f"{unit}: fixed; per hour" for unit in QUANTITIES.values())
    table = [f"| job | process | {fixed} | recording, MiB per hour |", "|---" * (len(QUANTITIES) + 3) + "|", *rows]
    more = " | ".join(f"{role}: {unit}" for role in ROLES for unit in QUANTITIES.values())
    of_runs = [f"| job | pair | duration | {more} |", "|---" * (2 * len(QUANTITIES) + 3) + "|", *runs]
    seconds = " ".join(f"{each:g}" for each in options.seconds)
    text = PAGE.format(
        date=datetime.date.today().isoformat(),
        options=f"--pairs {pairs} --seconds {seconds} --jobs {' '.join(options.jobs)}",
        machine=f"{os.cpu_count()} cores, {platform.machine()}, Linux {platform.release().split('-')[0]}, load {load:.2f} before the first run",
        pairs=pairs,
        table="\n".join(table),
        runs="\n".join(of_runs),
    )
    print(text)
    if options.write:
        options.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
