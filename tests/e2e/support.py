# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the end-to-end tests: the pinned Sparks, a profiled job, a standalone cluster, and readers of the output."""

import base64
import contextlib
import glob
import gzip
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
JOBS = REPOSITORY / "tests" / "e2e" / "jobs"
SPARKPROF = os.environ.get("SPARKPROF_BIN", str(REPOSITORY / "bin" / "sparkprof"))
PLUGIN_JAR = os.environ.get("SPARKPROF_PLUGIN_JAR", str(REPOSITORY / "lib" / "sparkprof-spark.jar"))
CACHE = pathlib.Path(
    os.environ.get("SPARKPROF_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sparkprof"
)
SLOW = os.environ.get("SPARKPROF_SLOW_TESTS") == "1"
# `make test-matrix` sets another one.
SPARK_VERSIONS = tuple(os.environ.get("SPARKPROF_TEST_SPARK", "4.1.1 4.3.0 3.5.7" if SLOW else "4.1.1 4.3.0").split())
# Versions for tests that take long on each Spark; the others of the normal set cover the newest one, too.
VERSIONS_OF_LONG_TESTS = SPARK_VERSIONS if SLOW else SPARK_VERSIONS[:1]
# Rounds of tests that kill at random moments.
ROUNDS = int(os.environ.get("SPARKPROF_ROUNDS", "100" if SLOW else "3"))
DEADLINE = 600  # seconds for one command or one event; only a hang takes that long, on a slow and busy machine, too

# A runner started in the background of a shell ignores these, and so would every process that the tests send them to.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def slow(subject):
    """Decorates a class or test that only `make test-all` runs; `subject` opens the reason: "YARN is"."""
    return unittest.skipUnless(SLOW, f"{subject} in the slow set: make test-all")


def java_homes(*patterns):
    """{major version: folder} of the Java runtimes in the folders that match."""
    homes = {}
    for folder in [folder for pattern in patterns for folder in sorted(glob.glob(str(pattern)))]:
        try:
            release = (pathlib.Path(folder) / "release").read_text()
        except OSError:
            continue
        version = release.split('JAVA_VERSION="')[1].split('"')[0]
        major = int(version.split(".")[1] if version.startswith("1.") else version.split(".")[0])
        if (pathlib.Path(folder) / "bin" / "java").exists():
            homes[major] = folder
    return homes


class Spark:
    """One of the pinned PySparks."""

    def __init__(self, version):
        self.version = version
        self.venv = CACHE / f"pyspark-{version}"
        homes = glob.glob(str(self.venv / "lib" / "python3*" / "site-packages" / "pyspark"))
        if not homes:
            raise unittest.SkipTest(f"PySpark {version} is not set up: run make build-tests")
        self.home = pathlib.Path(homes[0])

    def environment(self, **extra):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_", "SPARKPROF_"))}
        environment.update(
            SPARK_HOME=str(self.home),
            PATH=f"{self.venv / 'bin'}:{os.environ['PATH']}",
            PYSPARK_PYTHON=str(self.venv / "bin" / "python"),
            SPARK_LOCAL_IP="127.0.0.1",
            SPARK_LOCAL_HOSTNAME="localhost",
        )
        environment.update(extra)
        return environment

    def compile_job(self, name, folder, *jars):
        """Compiles tests/e2e/jobs/NAME.java against this Spark and `jars`; the path of its jar."""
        classes = pathlib.Path(folder) / f"{name}-{self.version}"
        classes.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [
                "javac",
                "--release",
                "17",
                "-cp",
                ":".join([f"{self.home}/jars/*", *map(str, jars)]),
                "-d",
                str(classes),
                str(JOBS / f"{name}.java"),
            ],
            check=True,
        )
        jar = classes / f"{name}.jar"
        subprocess.run(["jar", "cf", str(jar), "-C", str(classes), "."], check=True)
        return str(jar)


class Profile:
    """Files that `sparkprof run` left of one job."""

    def __init__(self, output, process):
        self.output = pathlib.Path(output)
        self.process = process
        self.recording = self.output / "recording.sprof"

    def info(self):
        return json.loads(sparkprof("info", "--json", self.recording).stdout)

    def collapsed(self, *arguments):
        """{stack: weight} of `flame --format collapsed`; an empty selection is an empty dictionary."""
        result = sparkprof("flame", self.recording, "--format", "collapsed", *arguments, check=False)
        if result.returncode not in (0, 1):
            raise AssertionError(result.stderr)
        stacks = {}
        for line in result.stdout.splitlines():
            stack, weight = line.rsplit(" ", 1)
            stacks[stack] = stacks.get(stack, 0) + int(weight)
        return stacks


def sparkprof(*arguments, check=True, cwd=None):
    result = subprocess.run([SPARKPROF, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=DEADLINE, check=False)
    if check and result.returncode != 0:
        raise AssertionError(f"sparkprof {' '.join(map(str, arguments))}: exit {result.returncode}\n{result.stderr}")
    return result


def report_bytes(page):
    """The data inside a report, decompressed."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    packed = text.split('id="sparkprof-data" type="application/octet-stream">', 1)[1].split("<", 1)[0]
    return gzip.decompress(base64.b64decode(packed))


def report_data(page):
    """The JSON inside a report (docs/report-data.md), without its columns."""
    data = report_bytes(page)
    return json.loads(data[12 : 12 + int.from_bytes(data[8:12], "little")])


def run_profiled(spark, output, command, options=(), cwd=None, **environment):
    """Runs `sparkprof run OPTIONS --output-dir OUTPUT -- COMMAND` to its end."""
    process = subprocess.run(
        [SPARKPROF, "run", *options, "--output-dir", str(output), "--", *map(str, command)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=spark.environment(**environment),
        timeout=DEADLINE,
        check=False,
    )
    return Profile(output, process)


def program_for_all(folder):
    """A copy of sparkprof that every user may run: the checkout may lie in a home directory."""
    real = subprocess.run(["bash", "-c", 'type -P "$0"', SPARKPROF], capture_output=True, text=True, check=True).stdout.strip()
    with open(real, "rb") as file:
        if file.read(4) != b"\x7fELF":
            raise unittest.SkipTest(f"{real} is a script; give the program in SPARKPROF_BIN")
    copy = pathlib.Path(folder) / "sparkprof"
    shutil.copy(real, copy)
    copy.chmod(0o755)
    return str(copy)


def free_port():
    """For a server to come. Below the ports that the system gives to connections and listeners of other tests meanwhile."""
    end = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(10_000, max(20_000, end))
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def wait_until(condition, what, seconds=DEADLINE):
    """Polls until `condition()` is true: for states of other processes that offer nothing to wait on."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds} s for {what}")


class Cluster:
    """A standalone master with workers on loopback, two of one core each unless told otherwise.

    `hosts` gives each worker an address of its own in 127.0.0.0/8, which Spark then takes for different machines.
    """

    def __init__(self, spark, folder, hosts=("localhost", "localhost"), cores=1, rest_port=None):
        self.spark = spark
        self.folder = pathlib.Path(folder)
        self.processes = []
        self.master_options = f"-Dspark.master.rest.enabled=true -Dspark.master.rest.port={rest_port}" if rest_port else ""
        log = self._start("master", "org.apache.spark.deploy.master.Master", "localhost", "--port", "0", "--webui-port", "0")
        self.url = wait_until(lambda: self._master_url(log), "the master's address")
        for number, host in enumerate(hosts):
            work = self.folder / f"worker-{number}"
            log = self._start(
                f"worker-{number}",
                "org.apache.spark.deploy.worker.Worker",
                host,
                "--cores",
                str(cores),
                "--memory",
                "1g",
                "--webui-port",
                "0",
                "--work-dir",
                str(work),
                self.url,
            )
            wait_until(lambda log=log: "Successfully registered" in log.read_text(errors="replace"), "a worker")

    def _start(self, name, main, host, *arguments):
        log = self.folder / f"{name}.log"
        with open(log, "wb") as stream:
            self.processes.append(
                subprocess.Popen(
                    [str(self.spark.home / "bin" / "spark-class"), main, "--host", host, *arguments],
                    stdout=stream,
                    stderr=stream,
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,
                    env=self.spark.environment(SPARK_DAEMON_MEMORY="256m", SPARK_MASTER_OPTS=self.master_options),
                )
            )
        return log

    @staticmethod
    def _master_url(log):
        for line in log.read_text(errors="replace").splitlines():
            if "Starting Spark master at" in line:
                return line.rsplit(" ", 1)[1]
        return None

    def close(self):
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(DEADLINE)


def processes_named(name):
    """Pids whose command line contains `name`."""
    found = []
    for entry in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if name.encode() in pathlib.Path(entry).read_bytes():
                found.append(int(entry.split("/")[2]))
    return found


def parent_of(pid):
    """0 when there is no such process."""
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def agents(below=None):
    """Pids of the agents on this machine, or of those that a process or its children started."""

    def is_below(pid):
        while pid not in (0, 1, below):
            pid = parent_of(pid)
        return pid == below

    # Others may name an agent in their arguments.
    running = [pid for pid in processes_named("sparkprof-agent") if program_of(pid).startswith("sparkprof-agent")]
    return {pid for pid in running if below is None or is_below(pid)}


def program_of(pid):
    """The name by which it was started; empty when there is no such process."""
    try:
        first = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    except OSError:
        return ""
    return os.path.basename(os.fsdecode(first))


class TestCase(unittest.TestCase):
    """A folder for each test, removed afterwards; failures show what the job printed."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sparkprof-e2e-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assert_succeeded(self, profile):
        self.assertEqual(
            profile.process.returncode, 0, f"stdout:\n{profile.process.stdout[-3000:]}\nstderr:\n{profile.process.stderr[-6000:]}"
        )


if sys.version_info < (3, 10):  # noqa: UP036
    raise SystemExit("the end-to-end tests need Python 3.10 or later")
