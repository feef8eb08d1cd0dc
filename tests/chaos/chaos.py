#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles real jobs, does something to them at a random moment, and checks what the product promises:

- exit code and result are those of the same job under the same fault without profiler;
- the recording can be read, and what it lacks of Spark's own event log is counted or the recording says it is incomplete;
- no process and no file is left behind.

One line for each round, a table at the end; exits 1 when a promise was broken.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from faults import FAULTS, FILLER, MOUNTED  # noqa: E402
from processes import VARIABLE, processes, wait_for  # noqa: E402
from spark_jobs import SPARK_VERSIONS, Spark, profiled, submit  # noqa: E402
from support import DEADLINE, execute, sparkprof  # noqa: E402

JOB = pathlib.Path(__file__).with_name("job.py")
STEPS = 5
OWN_FILES = {"recording.sprof", "report.html", "flame.svg", "summary.json", FILLER}
END_SECONDS = 30  # for the last process of a round
MOUNTS = "CHAOS_OWN_MOUNTS"  # set in a process whose mounts nobody else sees, and which end with it


class Round:
    """One run of the job under one fault."""

    def __init__(self, name, fault, version, executors, profiled, seed):
        self.name, self.fault, self.version, self.executors, self.profiled = name, fault, version, executors, profiled
        self.generator = random.Random(f"{seed}/{name}")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"chaos-{name}-"))
        self.temporary, self.output, self.working = (self.folder / part for part in ("tmp", "out", "cwd"))
        for part in ("tmp", "cwd", "events", "local"):
            (self.folder / part).mkdir()
        self.mounted = getattr(self, MOUNTED[fault]) if fault in MOUNTED else None
        if self.mounted:
            self.mounted.mkdir(exist_ok=True)
            execute("mount", "-t", "tmpfs", "-o", "size=16m,mode=700", "chaos", self.mounted)
        self.process = None
        self.log = self.stdout = ""
        self.did = ""

    def remove(self):
        self.unmount()
        shutil.rmtree(self.folder, ignore_errors=True)

    def unmount(self):
        if self.mounted:
            execute("umount", self.mounted)
            self.mounted = None

    def command(self):
        _, own_fault, _, _ = FAULTS[self.fault]
        settings = {
            "spark.ui.enabled": "false",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.compress": "false",
            "spark.eventLog.rolling.enabled": "false",
            "spark.eventLog.dir": (self.folder / "events").as_uri(),
            "spark.driver.memory": "512m",
            "spark.executor.memory": "512m",
            "spark.driver.extraJavaOptions": self.java_options(),
            "spark.executor.extraJavaOptions": self.java_options(),
        }
        if own_fault.startswith("executor"):
            settings["spark.task.maxFailures"] = "1"
        master = "local-cluster[1,2,512]" if self.executors else "local[2,4]"
        command = submit(JOB, STEPS, self.folder / "started", own_fault, master=master, conf=settings)
        return profiled(self.output, command) if self.profiled else command

    def java_options(self):
        # A JVM that lives for seconds is faster without its optimizing compiler.
        return f"-Djava.io.tmpdir={self.temporary} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

    def environment(self, spark):
        home = self.folder / "spark"  # local-cluster writes into its home
        home.mkdir()
        for entry in spark.home.iterdir():
            if entry.name != "work":
                (home / entry.name).symlink_to(entry)
        return spark.environment(
            **{VARIABLE: self.name},
            SPARK_HOME=str(home),
            PATH=f"{home / 'bin'}:{os.environ['PATH']}",
            TMPDIR=str(self.temporary),
            SPARK_LOCAL_DIRS=str(self.folder / "local"),
        )

    def run(self):
        """Exit code and the line with the result."""
        inject, _, _, seen_without_profiler = FAULTS[self.fault]
        with open(self.folder / "stdout", "wb") as out, open(self.folder / "stderr", "wb") as err:
            streams = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": err}
            environment = self.environment(Spark(self.version))
            self.process = subprocess.Popen(self.command(), cwd=self.working, env=environment, start_new_session=True, **streams)
        wait_for(lambda: (self.folder / "started").exists() or self.process.poll() is not None, DEADLINE)
        if self.profiled or seen_without_profiler:
            # Within the job's later steps, which take 4 s at least.
            time.sleep(self.generator.uniform(0, 3))
            self.did = inject(self, self.generator)
        try:
            code = self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            code = "hangs"
        # The driver of a killed wrapper may end after it.
        wait_for(lambda: "driver" not in processes(self.name).values(), DEADLINE)
        left = wait_for(lambda: not processes(self.name), END_SECONDS)
        self.left = {} if left else processes(self.name)
        for pid in self.left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        # A driver that is killed may print a stack trace too, which is not the same twice.
        lines = (self.folder / "stdout").read_text(errors="replace").splitlines()
        self.stdout = "\n".join(line for line in lines if line.startswith("result "))
        self.log = (self.folder / "stderr").read_text(errors="replace")
        return code, self.stdout

    def event_log(self):
        """Tasks that ended and the Python stages that completed, as Spark wrote them down."""
        tasks, python = 0, []
        for file in (self.folder / "events").iterdir():
            for line in file.read_text(errors="replace").splitlines():
                with contextlib.suppress(ValueError):
                    event = json.loads(line)
                    if event["Event"] == "SparkListenerTaskEnd":
                        tasks += 1
                    if event["Event"] == "SparkListenerStageCompleted":
                        stage = event["Stage Info"]
                        if any(rdd["Name"] == "PythonRDD" for rdd in stage["RDD Info"]):
                            python.append(stage["Stage ID"])
        return tasks, python

    def violations(self, exit_code, stdout, plain, unharmed):
        killed_wrapper = self.fault == "wrapper kill"
        # Whether the next file needs a new descriptor is chance: a job that is not harmed is right, too.
        if self.fault == "executor descriptors" and (exit_code, stdout) == unharmed:
            plain = unharmed
        # Like in a shell, the wrapper passes on a signal in the same way.
        expected = 128 - plain[0] if isinstance(plain[0], int) and plain[0] < 0 else plain[0]
        if exit_code != (-signal.SIGKILL if killed_wrapper else expected):
            yield f"exit code {exit_code}, without profiler {expected}"
        if stdout != plain[1]:
            yield f"printed {stdout!r}, without profiler {plain[1]!r}"
        if self.left:
            yield f"left processes {self.left}"
        # Where nothing could be written, the parts of the recording are in their place, and the wrapper prints it.
        in_pieces = killed_wrapper or (self.fault == "output disk full" and "the parts of the recording are in" in self.log)
        yield from self.left_files(in_pieces)
        yield from self.missing_in_recording(self.output / ("segments" if in_pieces else "recording.sprof"))

    def left_files(self, in_pieces):
        left = [str(path.relative_to(self.folder)) for path in self.temporary.rglob("*sparkprof*")]
        left += [str(path.relative_to(self.folder)) for path in self.working.iterdir()]
        left += [str(path.relative_to(self.folder)) for path in self.folder.rglob("sparkprof_python_*.py")]
        if left and not in_pieces:
            yield f"left files {left}"
        own = {path.name for path in self.output.iterdir()} if self.output.exists() else set()
        if not in_pieces and own - OWN_FILES:
            yield f"left in the output folder {sorted(own - OWN_FILES)}"

    def missing_in_recording(self, recording):
        if not recording.exists():
            told = [line for line in self.log.splitlines() if "no recording" in line]
            yield f"no recording: {told}"
            return
        answer = sparkprof("info", "--json", recording, code=None)
        if answer.returncode != 0:
            yield f"info: {answer.stderr.strip()}"
            return
        info = json.loads(answer.stdout)
        losses = {loss["what"]: loss["count"] for loss in info["losses"]}

        def counts(*what):
            return not info["complete"] or any(loss.startswith(what) for loss in losses)

        self.did += f"; {'complete' if info['complete'] else 'incomplete'} {losses or ''}"
        tasks, python = self.event_log()
        if info["counts"]["tasks"] < tasks and not counts("task_records", "spark_events", "profiling_ms"):
            yield f"{info['counts']['tasks']} of {tasks} tasks, and no loss counted"
        for stage in python[-1:]:
            for language, options, loss in (("Python", ("--language", "python"), "python_"), ("JVM", ("--event", "wall"), "chunk_")):
                flame = sparkprof("flame", recording, "--format", "collapsed", "--stage", stage, *options, code=None)
                if not flame.stdout.strip() and not counts(loss, "profiling_ms"):
                    yield f"no {language} samples of stage {stage}, and no loss counted"
        if self.fault == "agent stop" and "pid" in self.did and not counts("series_ms", "profiling_ms"):
            yield "the gap is not counted"


class Chaos:
    def __init__(self, seed, keep):
        self.seed, self.keep = seed, keep
        self.plain = {}
        self.numbers = itertools.count(1)
        self.locks = collections.defaultdict(threading.Lock)
        self.table = collections.defaultdict(list)

    def outcome_without_profiler(self, fault, version, executors):
        _, own_fault, _, seen = FAULTS[fault]
        # The wrapper is in the place of spark-submit, so that its end is the driver's. A process that was stopped goes on.
        same = {"wrapper term": "driver term", "wrapper kill": "driver kill"}.get(fault, fault if seen else "")
        if same.endswith(" stop"):
            same = ""
        key = (same or "agent kill", version, executors)
        with self.locks[key]:
            if key not in self.plain:
                round_ = Round(f"plain-{next(self.numbers)}", key[0], version, executors, False, self.seed)
                self.plain[key] = round_.run()
                round_.remove()
            return self.plain[key]

    def run(self, number, fault):
        generator = random.Random(f"{self.seed}/{number}")
        version = generator.choice(SPARK_VERSIONS)
        executors = FAULTS[fault][2] or (fault.split()[0] in ("agent", "worker", "daemon") and generator.random() < 0.4)
        begin = time.monotonic()
        plain = self.outcome_without_profiler(fault, version, executors)
        unharmed = self.outcome_without_profiler("agent kill", version, executors)
        round_ = Round(str(number), fault, version, executors, True, self.seed)
        try:
            found = list(round_.violations(*round_.run(), plain, unharmed))
        except Exception as error:  # counts as broken, and the other rounds go on
            found = [f"{type(error).__name__}: {error}"]
        self.table[fault].append(not found)
        place = "local-cluster" if executors else "local"
        print(
            f"{number:3} {'ok  ' if not found else 'FAIL'} {fault:18} {version} {place:13} "
            f"{time.monotonic() - begin:4.0f} s  {round_.did}{''.join('  ! ' + text for text in found)}",
            flush=True,
        )
        if found and self.keep:
            if round_.mounted:
                shutil.copytree(round_.mounted, round_.folder / "mounted", ignore=shutil.ignore_patterns(FILLER))
                round_.unmount()
            print(f"    kept: {round_.folder}", flush=True)
        else:
            round_.remove()


def with_own_mounts():
    """Starts this program again where its mounts are its own; returns where it has them or cannot have them."""
    command = ["unshare", "--mount", "--propagation", "private"]
    if MOUNTED and MOUNTS not in os.environ:
        os.environ[MOUNTS] = "1"
        os.execvp(command[0], [*command, sys.executable, *sys.argv])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--fault", action="append", choices=sorted(FAULTS), help="only these faults")
    parser.add_argument("--keep", action="store_true", help="keep the folders of rounds that failed")
    options = parser.parse_args()
    with_own_mounts()
    names = options.fault or list(FAULTS)
    # Every fault once, then every fault again, in another order.
    generator, order = random.Random(options.seed), []
    while len(order) < options.rounds:
        order += generator.sample(names, len(names))
    del order[options.rounds :]
    chaos = Chaos(options.seed, options.keep)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(chaos.run, number, fault) for number, fault in enumerate(order, 1)]:
            future.result()
    print(f"\n{'fault':20}{'rounds':>8}{'ok':>6}")
    for fault in sorted(chaos.table):
        print(f"{fault:20}{len(chaos.table[fault]):8}{sum(chaos.table[fault]):6}")
    failed = sum(not ok for results in chaos.table.values() for ok in results)
    print(f"{options.rounds} rounds, {failed} failed, seed {options.seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
