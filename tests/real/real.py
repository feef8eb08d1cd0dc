#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs real applications plain and under `sparkprof run`, compares their output, and writes the findings of both runs."""

import argparse
import contextlib
import ctypes
import filecmp
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
APPLICATIONS = HERE / "applications"
SPARKPROF = os.environ.get("SPARKPROF_BIN", str(HERE.parents[1] / "bin" / "sparkprof"))
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "sparkprof" / "real"
DEADLINE = 1200  # seconds for one run of an application, and for one command of sparkprof

SETTINGS = {
    "spark.master": "local[2]",
    "spark.driver.memory": "2g",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.eventLog.enabled": "true",
}


class Failure(Exception):
    """A step of one application failed; the others go on."""


def names():
    return sorted(path.parent.name for path in APPLICATIONS.glob("*/job.py"))


def digest(*files):
    total = hashlib.sha256()
    for file in files:
        total.update(file.read_bytes())
    return total.hexdigest()[:12]


def check(command, log, **options):
    """Runs a step of the installation; its output goes into `log`."""
    with open(log, "ab") as stream:
        result = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, check=False, **options)
    if result.returncode != 0:
        raise Failure(f"{' '.join(map(str, command[:6]))} …: exit code {result.returncode} (see {log})")


class Application:
    def __init__(self, name, python):
        self.name = name
        self.python = python
        self.folder = APPLICATIONS / name
        pinned = (self.folder / file for file in ("requirements.txt", "packages.txt"))
        self.venv = CACHE / "environments" / f"{name}-{digest(*(file for file in pinned if file.exists()))}"
        generator = self.folder / "data.py"
        self.data = CACHE / "data" / f"{name}-{digest(generator)}" if generator.exists() else None

    def install(self):
        """Creates the virtual environment and the data, each once: a folder appears under its name only when it is complete."""
        log = CACHE / f"{self.name}.install.log"
        if not (self.venv / "complete").exists():
            print(f"{self.name}: installing packages", flush=True)
            shutil.rmtree(self.venv, ignore_errors=True)
            self.venv.parent.mkdir(parents=True, exist_ok=True)
            check([self.python, "-m", "venv", self.venv], log)
            check([self.venv / "bin" / "python", "-m", "pip", "install", "--quiet", "-r", self.folder / "requirements.txt"], log)
            self.share_jars()
            self.resolve(log)
            (self.venv / "complete").touch()
        if self.data and not self.data.exists():
            print(f"{self.name}: generating data", flush=True)
            self.data.parent.mkdir(parents=True, exist_ok=True)
            partial = pathlib.Path(tempfile.mkdtemp(prefix=f"{self.name}-", dir=self.data.parent))
            try:
                check([self.venv / "bin" / "python", self.folder / "data.py", partial], log, env=self.environment())
                partial.rename(self.data)
            finally:
                shutil.rmtree(partial, ignore_errors=True)

    def share_jars(self):
        """Replaces Spark's jars by hard links to equal ones of other environments, which saves 0.4 GB for each."""
        for jar in (self.site / "pyspark" / "jars").glob("*.jar"):
            for other in self.venv.parent.glob(f"*/lib/python3*/site-packages/pyspark/jars/{jar.name}"):
                if not other.samefile(jar) and filecmp.cmp(other, jar, shallow=False):
                    link = jar.with_suffix(".link")
                    os.link(other, link)
                    link.replace(jar)
                    break

    def resolve(self, log):
        """Downloads the Maven packages once, by a job that does nothing.

        Without the user's own Maven repository: Ivy fails on an artifact of which Maven kept only the POM.
        """
        options = self.packages()
        if options:
            with tempfile.TemporaryDirectory() as folder:
                job = pathlib.Path(folder) / "nothing.py"
                job.touch()
                command = [self.venv / "bin" / "spark-submit", *options, "--conf", f"spark.jars.ivy={CACHE / 'ivy'}", job]
                check(command, log, env=self.environment(SPARK_SUBMIT_OPTS=f"-Duser.home={folder}"))

    def packages(self):
        file = self.folder / "packages.txt"
        return ["--packages", ",".join(file.read_text().split())] if file.exists() else []

    @property
    def site(self):
        return next((self.venv / "lib").glob("python3*/site-packages"))

    def environment(self, **extra):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_", "SPARKPROF_"))}
        environment.update(
            PATH=f"{self.venv / 'bin'}:{os.environ['PATH']}",
            SPARK_HOME=str(self.site / "pyspark"),
            PYSPARK_PYTHON=str(self.venv / "bin" / "python"),
            SPARK_LOCAL_IP="127.0.0.1",
            SPARK_LOCAL_HOSTNAME="localhost",
            PYTHONHASHSEED="0",
        )
        environment.update(extra)
        return environment

    def settings(self, folder, kind):
        """The text of spark-defaults.conf: the common settings, those of the application, and those of the expert."""
        settings = dict(SETTINGS)
        settings["spark.eventLog.dir"] = (folder / "events").as_uri()
        settings["spark.sql.warehouse.dir"] = (folder / "work" / "warehouse").as_uri()
        settings["spark.jars.ivy"] = str(CACHE / "ivy")
        for file in (self.folder / "conf", self.folder / "expert.conf" if kind == "expert" else None):
            if file and file.exists():
                for line in file.read_text().splitlines():
                    if line.strip() and not line.startswith("#"):
                        key, value = line.split(None, 1)
                        settings[key] = value.strip()
        return "".join(f"{key} {value}\n" for key, value in settings.items())

    def command(self, kind, folder):
        job = self.folder / "job.py"
        difference = self.folder / "expert.diff"
        if kind == "expert" and difference.exists():
            text = patched(job.read_text(), difference.read_text())
            job = folder / "job.py"
            job.write_text(text)
        # A file `command` with "python" is for libraries whose users build the session in the script, with jars of the library.
        command = self.folder / "command"
        start = command.read_text().split() if command.exists() else ["spark-submit", *self.packages()]
        return [*start, str(job), *([str(self.data)] if self.data else [])]

    def run(self, kind, output):
        """Runs the application as `kind` (plain, profiled or expert) once; a complete run in `output` is not repeated."""
        folder = output / self.name / kind
        done = folder / "run.json"
        if done.exists():
            return json.loads(done.read_text())
        shutil.rmtree(folder, ignore_errors=True)
        for name in ("events", "work", "conf"):
            (folder / name).mkdir(parents=True)
        (folder / "conf" / "spark-defaults.conf").write_text(self.settings(folder, kind))
        command = self.command(kind, folder)
        if kind == "profiled":
            command = [SPARKPROF, "run", "--output-dir", str(folder / "profile"), "--", *command]
        print(f"{self.name}: {kind}", end=" ", flush=True)
        measured = measure(command, folder, self.environment(SPARK_CONF_DIR=str(folder / "conf")))
        print(f"{measured['seconds']} s, CPU {measured['cpuSeconds']} s", flush=True)
        if measured["exitCode"] != 0:
            raise Failure(f"{kind}: exit code {measured['exitCode']} (see {folder / 'stderr'})")
        done.write_text(json.dumps(measured))
        return measured


def patched(text, difference):
    """`text` after the hunks of a unified diff, each found by its lines, not by their numbers."""
    for hunk in re.split(r"^@@.*\n", difference, flags=re.MULTILINE)[1:]:
        lines = hunk.splitlines(keepends=True)
        old, new = ("".join(line[1:] for line in lines if line[0] in " " + sign) for sign in "-+")
        if text.count(old) != 1:
            raise Failure(f"expert.diff does not fit job.py: {text.count(old)} places, not 1, for\n{old}")
        text = text.replace(old, new)
    return text


def cpu_times():
    """{(process ID, start time): CPU seconds} of all living descendants of this process."""
    processes = {}
    for file in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text(errors="replace").rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue  # it ended meanwhile
        ticks = int(fields[11]) + int(fields[12])
        processes[int(file.parent.name)] = (int(fields[1]), fields[19], ticks / os.sysconf("SC_CLK_TCK"))
    times = {}
    for process, (parent, start, seconds) in processes.items():
        while parent in processes and parent != os.getpid():
            parent = processes[parent][0]
        if parent == os.getpid():
            times[process, start] = seconds
    return times


def measure(command, folder, environment):
    """Runs a command to its end in its own session: exit code, seconds, and CPU seconds of its process tree.

    The CPU seconds are read twice a second: Spark's Python workers end without adding theirs to a parent.
    """
    start = time.monotonic()
    others = cpu_times()
    cpu = {}
    code = None
    with open(folder / "stdout", "wb") as stdout, open(folder / "stderr", "wb") as stderr:
        process = subprocess.Popen(
            command, cwd=folder / "work", env=environment, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True
        )
        try:
            while code is None and time.monotonic() < start + DEADLINE:
                cpu.update(cpu_times())
                with contextlib.suppress(subprocess.TimeoutExpired):
                    code = process.wait(0.5)
        finally:
            if code is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                code = f"none after {DEADLINE} s"
    seconds = time.monotonic() - start
    # Orphans became children of this process: a JVM that a script started ends after the script.
    end = time.monotonic() + 30
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < end:
            cpu.update(cpu_times())
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.2)
    cpu = {key: value for key, value in cpu.items() if key not in others}
    return {"exitCode": code, "seconds": round(seconds, 1), "cpuSeconds": round(sum(cpu.values()), 1)}


def results(folder):
    """The lines of an application's output that start with RESULT."""
    return [line for line in (folder / "stdout").read_text(errors="replace").splitlines() if line.startswith("RESULT")]


def compare(output, name, kind):
    plain, other = (results(output / name / each) for each in ("plain", kind))
    if not plain:
        raise Failure(f"plain: no line that starts with RESULT (see {output / name / 'plain' / 'stdout'})")
    if plain != other:
        difference = next((pair for pair in zip(plain, other) if pair[0] != pair[1]), (f"{len(plain)} lines", f"{len(other)} lines"))
        raise Failure(f"{kind}: output differs: {difference[0]!r} became {difference[1]!r}")


def findings(source, target):
    """Writes the findings of a recording or an event log into `target`."""
    result = subprocess.run([SPARKPROF, "findings", str(source)], capture_output=True, text=True, timeout=DEADLINE, check=False)
    if result.returncode != 0:
        raise Failure(f"sparkprof findings {source}: exit code {result.returncode}\n{result.stderr.strip()}")
    target.write_text(result.stdout)


def examine(application, output, expert):
    """All steps of one application; its times."""
    name = application.name
    times = {"plain": application.run("plain", output)}
    if not results(output / name / "plain"):
        compare(output, name, "plain")
    if expert:
        # Healthy applications have no change.
        if any((application.folder / file).exists() for file in ("expert.diff", "expert.conf")):
            times["expert"] = application.run("expert", output)
            compare(output, name, "expert")
        return times
    times["profiled"] = application.run("profiled", output)
    compare(output, name, "profiled")
    logs = sorted((output / name / "plain" / "events").iterdir())
    if len(logs) != 1:
        raise Failure(f"plain: {len(logs)} event logs in {output / name / 'plain' / 'events'}, not 1")
    findings(output / name / "profiled" / "profile" / "recording.sprof", output / f"{name}.recording.txt")
    findings(logs[0], output / f"{name}.log.txt")
    return times


def main():
    parser = argparse.ArgumentParser(
        description="Run real applications plain and under sparkprof, compare their output, and write the findings of both runs.",
        epilog=f"Installs packages and data into {CACHE}. The variable SPARKPROF_BIN selects the sparkprof to test.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"applications, or all: {', '.join(names())}")
    parser.add_argument(
        "--output", metavar="DIR", help="folder of the results; complete runs in it are not repeated (default: a temporary folder)"
    )
    parser.add_argument("--python", default=sys.executable, help="Python 3.11 for the virtual environments (default: this one)")
    parser.add_argument("--install", action="store_true", help="only install packages and generate data")
    parser.add_argument("--expert", action="store_true", help="run plain and with the change of expert.md, without sparkprof")
    options = parser.parse_args()
    selected = names() if options.names == ["all"] else options.names
    unknown = [name for name in selected if name not in names()]
    if unknown:
        parser.error(f"unknown application {unknown[0]}; available: {', '.join(names())}")
    if not selected:
        parser.error("name an application, or all")
    if not shutil.which("java"):
        parser.error("java is not in PATH; install Java 17")
    if not options.install and not options.expert and not shutil.which(SPARKPROF):
        parser.error(f"{SPARKPROF} is not a program; build sparkprof, or set SPARKPROF_BIN")
    # Processes that outlive their parents become children of this process, which counts their CPU time.
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    CACHE.mkdir(parents=True, exist_ok=True)
    output = None
    if not options.install:
        output = pathlib.Path(options.output or tempfile.mkdtemp(prefix="sparkprof-real-")).resolve()
        output.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in selected:
        application = Application(name, options.python)
        try:
            application.install()
            if options.install:
                continue
            measured = examine(application, output, options.expert)
        except (Failure, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"{name}: {error}", file=sys.stderr, flush=True)
            continue
        times = output / "times.json"
        total = json.loads(times.read_text()) if times.exists() else {}
        total.setdefault(name, {}).update(measured)
        times.write_text(json.dumps(total, indent=2, sort_keys=True) + "\n")
    if output:
        print(f"Results: {output}")
    print(f"{len(selected) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
