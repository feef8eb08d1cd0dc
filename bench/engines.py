#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does every CPU second have the right owner? Ten queries in the style of TPC-DS, on plain Spark and on Comet.

    bench/engines.py [--engine spark,comet] [--query q3,q7] [--sales 8000000] [--times 2] [--comet JAR] [--output DIR]
    bench/engines.py --at-once q93+q96 --cores 4 […]

Each query runs with and without `sparkprof run`, as an application of its own, on Spark of `make env`. Printed for each:

    owned    CPU time with an owner (`sparkprof info`) of what the kernel counted for the application's processes (/proc, read
             from outside every 50 ms)
    stages   the largest difference between the CPU time of a stage's owner and that of the threads which work for tasks, read
             from /proc when the stage begins and ends, of stages above 1 s; and that of all stages in sum. Stages at the same
             time count together
    operators  sampled CPU time of operators against the engine's own counter of elapsed time (`elapsed_compute` of Comet); the
             largest difference of those above 1 s
    findings medium and high ones, which should not be there: nothing is wrong with these queries
    same     whether rows and exit code are those of the run without sparkprof

--at-once runs queries in threads of one application, and prints the CPU time of each one's tasks in it (ours) next to that of the
query alone, by /proc.

Comet's jar: org.apache.datafusion:comet-spark-spark4.1_2.13:1.2.0 of Maven; by default in ~/.m2.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
SOURCES = REPOSITORY / "bench" / "engines"
SPARKPROF = os.environ.get("SPARKPROF_BIN", str(REPOSITORY / "bin" / "sparkprof"))
COMET = pathlib.Path.home() / ".m2/repository/org/apache/datafusion/comet-spark-spark4.1_2.13/1.2.0/comet-spark-spark4.1_2.13-1.2.0.jar"
TICK = 1 / os.sysconf("SC_CLK_TCK")
QUERIES = re.findall(r'^    "(q\d+)":', (SOURCES / "queries.py").read_text(encoding="utf-8"), re.MULTILINE)
# Threads that work for tasks: Spark's task threads and those of Comet's runtime. Its comet-broadcast threads collect on the driver, for a query.
TASK_THREADS = ("Executor task", "tokio-r")
LEAST_MS = 1000


class ProcessTimes(threading.Thread):
    """CPU seconds of the processes below a process, the last ones that were seen of each; without `sparkprof run` itself."""

    def __init__(self, root):
        super().__init__(daemon=True)
        self.root, self.seconds, self.done = root, {}, threading.Event()
        self.start()

    def run(self):
        pids, rounds = [], 0
        while not self.done.wait(0.05):
            if rounds % 10 == 0:
                pids = self.below()
            rounds += 1
            for pid in pids:
                with contextlib.suppress(OSError, IndexError):
                    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
                    # A number may be another process later.
                    self.seconds[pid, fields[19]] = (int(fields[11]) + int(fields[12])) * TICK

    def below(self):
        parents = {}
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, IndexError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        found, more = set(), {self.root}
        while more:
            more = {pid for pid, parent in parents.items() if parent in more}
            found |= more
        found.add(self.root)
        return [pid for pid in found if self.belongs(pid)] + [pid for pid in parents if pid not in found and self.is_agent(pid)]

    @staticmethod
    def command(pid):
        with contextlib.suppress(OSError):
            return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return [b""]

    def belongs(self, pid):
        words = self.command(pid)
        return b"org.apache.spark.launcher.Main" not in words and not words[0].endswith((b"/bash", b"/sparkprof"))

    def is_agent(self, pid):
        """The agent is in a session of its own."""
        if b"sparkprof-agent" not in self.command(pid)[0]:
            return False
        with contextlib.suppress(OSError):
            return str(self.marker) in pathlib.Path(f"/proc/{pid}/environ").read_text(errors="replace")
        return False

    marker = "BENCH_ENGINES_RUN="

    def total(self):
        self.done.set()
        self.join()
        return sum(self.seconds.values())


def stage_groups(path):
    """[({"stage 3.0", …}, milliseconds of task threads)]: stages that ran at the same time are one group."""
    groups, running, begin = [], set(), 0
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        event, stage, attempt, _, *threads = line.split("\t")
        times = (word.rsplit("=", 1) for word in threads)
        now = sum(int(ns) for name, ns in times if name.startswith(TASK_THREADS)) / 1e6
        name = f"stage {stage}.{attempt}"
        if event == "begin":
            if not running:
                begin, names = now, set()
            running.add(name)
            names.add(name)
        elif name in running:
            running.remove(name)
            if not running:
                groups.append((names, now - begin))
    return groups


def submit(engine, options, folder, words):
    command = ["spark-submit", "--master", f"local[{options.cores}]", "--driver-memory", "3g", "--jars", str(options.listener)]
    jars = [str(options.listener)]
    conf = {"spark.ui.enabled": "false", "spark.extraListeners": "StageTimes", "spark.sql.shuffle.partitions": "4"}
    if engine == "comet":
        jars.append(str(options.comet))
        conf |= {
            "spark.plugins": "org.apache.spark.CometPlugin",
            "spark.memory.offHeap.enabled": "true",
            "spark.memory.offHeap.size": "2g",
            "spark.shuffle.manager": "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager",
        }
    command[command.index("--jars") + 1] = ",".join(jars)
    conf["spark.driver.extraClassPath"] = ":".join(jars)
    for key, value in conf.items():
        command += ["--conf", f"{key}={value}"]
    return [*command, str(SOURCES / "queries.py"), *map(str, words)]


def run(command, folder):
    """Exit code, rows, CPU seconds of the application's processes."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, SPARK_LOCAL_IP="127.0.0.1", BENCH_STAGE_TIMES=str(folder / "stages.tsv"), BENCH_ENGINES_RUN="1")
    with open(folder / "output.txt", "w", encoding="utf-8") as out, open(folder / "log.txt", "w", encoding="utf-8") as log:
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=log)
        times = ProcessTimes(process.pid)
        code = process.wait()
    rows = [line for line in (folder / "output.txt").read_text(encoding="utf-8").splitlines() if line.startswith("[")]
    return code, rows, times.total()


def answer(*words):
    result = subprocess.run([SPARKPROF, *map(str, words)], capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        sys.exit(f"engines: sparkprof {' '.join(map(str, words))}: {result.stderr}")
    return json.loads(result.stdout)


def worst(pairs):
    """The largest relative difference of (name, ours, theirs), as text."""
    pairs = [(abs(ours - theirs) / theirs, name, ours, theirs) for name, ours, theirs in pairs if theirs >= LEAST_MS]
    if not pairs:
        return "none of 1 s"
    share, name, ours, theirs = max(pairs)
    return f"{100 * share:.1f}% ({name}: {ours / 1000:.2f} s of {theirs / 1000:.2f} s; {len(pairs)} above 1 s)"


def in_sum(pairs):
    """The sums of (name, ours, theirs) and their relative difference, as text."""
    ours, theirs = (sum(pair[side] for pair in pairs) for side in (1, 2))
    difference = f" ({100 * (ours / theirs - 1):+.1f}%)" if theirs else ""
    return f"{ours / 1000:.2f} s of {theirs / 1000:.2f} s{difference}"


def profiled(engine, options, folder, words):
    command = [SPARKPROF, "run", "--no-report", *options.run_options.split(), "--output-dir", str(folder / "out"), "--"]
    code, rows, seconds = run(command + submit(engine, options, folder, words), folder)
    return code, rows, seconds, folder / "out" / "recording.sprof"


def measure(engine, query, options, folder):
    words = ["run", options.data, query, options.times]
    plain_code, plain_rows, plain_seconds = run(submit(engine, options, folder, words), folder / "plain")
    code, rows, seconds, recording = profiled(engine, options, folder / "profiled", words)
    if plain_code != 0 or code != 0:
        sys.exit(f"engines: {engine} {query}: exit code {plain_code} without, {code} with sparkprof; see {folder}")
    owners = answer("info", recording, "--json")
    of_owner = {owner["owner"]: owner["cpuMs"] for owner in owners["owners"] if owner["kind"] == "task"}
    owned_ms = sum(owner["cpuMs"] for owner in owners["owners"])
    groups = [
        ("+".join(sorted(names)), sum(of_owner.get(name, 0) for name in names), theirs)
        for names, theirs in stage_groups(folder / "profiled" / "stages.tsv")
    ]
    operators = answer("show", "operators", recording, "--json")
    counted = [(f"{one['name']} {one['node']}", one["cpuMs"] or 0, one["vendorMs"]) for one in operators if one["vendorMs"]]
    findings = [one for one in answer("findings", recording, "--json") if one["severity"] in ("medium", "high")]
    return {
        "engine": engine,
        "query": query,
        "cpu": f"{seconds:.1f} s, plain {plain_seconds:.1f} s",
        "owned": f"{100 * owned_ms / 1000 / seconds:.1f}% (ownedShare {owners['ownedShare']:.3f})",
        "stages": worst(groups),
        "stages in sum": in_sum(groups),
        "operators": worst(counted),
        "operators in sum": in_sum(counted),
        "findings": "; ".join(f"{one['severity']} {one['rule']}: {one['title']}" for one in findings) or "none",
        "same": "yes" if (code, rows) == (plain_code, plain_rows) and rows else "NO",
    }


def measure_at_once(engine, queries, options, folder):
    """CPU seconds of the tasks of each query: of the owners of its stages while all run, and by /proc while it runs alone."""
    code, _, _, recording = profiled(engine, options, folder / "at-once", ["run", options.data, queries, options.times])
    if code != 0:
        sys.exit(f"engines: {engine} {queries}: exit code {code}; see {folder}")
    query_of = {stage: job["description"] for job in answer("show", "jobs", recording, "--json") for stage in job["stageIds"]}
    ours = dict.fromkeys(queries.split("+"), 0)
    for owner in answer("info", recording, "--json")["owners"]:
        stage = re.fullmatch(r"stage (\d+)\.\d+", owner["owner"])
        query = query_of.get(int(stage[1])) if stage else None
        if query in ours:
            ours[query] += owner["cpuMs"]
    result = {"engine": engine}
    for query in ours:
        alone = folder / query
        code, _, _ = run(submit(engine, options, alone, ["run", options.data, query, options.times]), alone)
        if code != 0:
            sys.exit(f"engines: {engine} {query}: exit code {code}; see {alone}")
        theirs = sum(milliseconds for _, milliseconds in stage_groups(alone / "stages.tsv"))
        result[query] = f"{ours[query] / 1000:.2f} s at once, {theirs / 1000:.2f} s alone ({100 * (ours[query] / theirs - 1):+.1f}%)"
    return result


def compile_classes(spark_home, folder):
    classes = folder / "classes"
    classes.mkdir()
    subprocess.run(["javac", "-cp", f"{spark_home}/jars/*", "-d", classes, *SOURCES.glob("*.java")], check=True)
    subprocess.run(["jar", "cf", folder / "engines.jar", "-C", classes, "."], check=True)
    return folder / "engines.jar"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--engine", default="spark,comet", help="spark, comet, or both with a comma")
    arguments.add_argument("--query", default=",".join(QUERIES))
    arguments.add_argument("--at-once", metavar="QUERY+QUERY", help="queries that run at the same time in one application")
    arguments.add_argument("--cores", type=int, default=2, help="tasks at the same time")
    arguments.add_argument("--sales", type=int, default=8_000_000, help="rows of store_sales")
    arguments.add_argument("--times", type=int, default=2, help="runs of a query in its application")
    arguments.add_argument("--run-options", default="", help="options for sparkprof run, separated by spaces")
    arguments.add_argument("--comet", type=pathlib.Path, default=COMET, help="jar of Comet")
    arguments.add_argument("--output", type=pathlib.Path, help="keeps tables and recordings here")
    options = arguments.parse_args()
    if "SPARK_HOME" not in os.environ:
        sys.exit('engines: SPARK_HOME is not set: eval "$(make -s env)" first')
    with contextlib.ExitStack() as stack:
        scratch = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder = options.output or scratch
        options.listener = compile_classes(os.environ["SPARK_HOME"], scratch)
        options.data = folder / f"tables-{options.sales}"
        if not options.data.exists() and run(submit("spark", options, folder, ["make", options.data, options.sales]), folder / "make")[0]:
            sys.exit(f"engines: cannot make the tables; see {folder}/make/log.txt")
        queries = [options.at_once] if options.at_once else options.query.split(",")
        of_queries = measure_at_once if options.at_once else measure
        for engine in options.engine.split(","):
            for query in queries:
                for name, value in of_queries(engine, query, options, folder / engine / query).items():
                    print(f"{name:18}{value}", flush=True)
                print(flush=True)


if __name__ == "__main__":
    main()
