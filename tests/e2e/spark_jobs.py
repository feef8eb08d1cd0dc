# SPDX-License-Identifier: Apache-2.0
"""The pinned Sparks, their jobs with and without the profiler, and a standalone cluster."""

import contextlib
import glob
import os
import pathlib
import signal
import subprocess
import unittest

from support import CACHE, DEADLINE, JOBS, SLOW, SPARKPROF, execute, json_of, sparkprof, stacks_of, wait_until, weight_of

# `make test-matrix` sets another one.
SPARK_VERSIONS = tuple(os.environ.get("SPARKPROF_TEST_SPARK", "4.1.1 4.3.0 3.5.7" if SLOW else "4.1.1 4.3.0").split())
# Versions for tests that take long on each Spark; the others of the normal set cover the newest one, too.
VERSIONS_OF_LONG_TESTS = SPARK_VERSIONS if SLOW else SPARK_VERSIONS[:1]


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

    def __init__(self, version=SPARK_VERSIONS[0]):
        self.version = version
        self.venv = CACHE / f"pyspark-{version}"
        homes = glob.glob(str(self.venv / "lib" / "python3*" / "site-packages" / "pyspark"))
        if not homes:
            raise unittest.SkipTest(f"PySpark {version} is not set up: run make build-tests")
        self.home = pathlib.Path(homes[0])
        self.python = self.venv / "bin" / "python"

    def environment(self, **extra):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_", "SPARKPROF_"))}
        environment.update(
            SPARK_HOME=str(self.home),
            PATH=f"{self.venv / 'bin'}:{os.environ['PATH']}",
            PYSPARK_PYTHON=str(self.python),
            SPARK_LOCAL_IP="127.0.0.1",
            SPARK_LOCAL_HOSTNAME="localhost",
        )
        return environment | {key: str(value) for key, value in extra.items()}

    def compile_job(self, source, folder, *jars):
        """Compiles tests/e2e/jobs/SOURCE.java, or the file of that path, against this Spark and `jars`; the path of its jar."""
        source = JOBS / f"{source}.java" if isinstance(source, str) else source
        classes = pathlib.Path(folder) / f"{source.stem}-{self.version}"
        classes.mkdir(parents=True, exist_ok=True)
        execute("javac", "--release", "17", "-cp", ":".join([f"{self.home}/jars/*", *map(str, jars)]), "-d", classes, source)
        jar = classes / f"{source.stem}.jar"
        execute("jar", "cf", jar, "-C", classes, ".")
        return str(jar)


class Profile:
    """A recording, and the other files that `sparkprof run` left of one job."""

    def __init__(self, output, process=None, recording=None):
        self.output = pathlib.Path(output)
        self.process = process
        self.recording = recording or self.output / "recording.sprof"

    def info(self):
        return json_of("info", self.recording)

    def show(self, table, *options):
        return json_of("show", table, self.recording, *options)

    def findings(self):
        return json_of("findings", self.recording)

    def collapsed(self, *selection):
        """{stack: weight} of `flame --format collapsed`; an empty selection is an empty dictionary."""
        result = sparkprof("flame", self.recording, "--format", "collapsed", *selection, code=None)
        if result.returncode not in (0, 1):
            raise AssertionError(result.stderr)
        return stacks_of(result.stdout)

    def seconds(self, part, *selection):
        """The time of the stacks that have this part."""
        return weight_of(self.collapsed(*selection), part) / 1e9


def conf_options(conf):
    return [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]


def submit(script, *arguments, master="local[2]", conf=None, options=()):
    """The spark-submit of a job: a path, or a name in tests/e2e/jobs. A jar is named after its main class."""
    path = JOBS / script
    main = ["--class", path.stem] if path.suffix == ".jar" else []
    place = ["--master", master] if master else []
    job = path if path.exists() else script
    return list(map(str, ["spark-submit", *place, *options, *conf_options(conf or {}), *main, job, *arguments]))


def profiled(output, command, sparkprof=()):
    """The same command under `sparkprof run`, with these options of it."""
    return list(map(str, [SPARKPROF, "run", *sparkprof, "--output-dir", output, "--", *command]))


def run_profiled(output, command, spark=None, sparkprof=(), code=0, cwd=None, **environment):
    """Runs a command under `sparkprof run` to its end, which must have this exit code; None: any."""
    process = execute(*profiled(output, command, sparkprof), code=code, cwd=cwd, env=(spark or Spark()).environment(**environment))
    return Profile(output, process)


def run_job(folder, script, *arguments, name="out", spark=None, sparkprof=(), code=0, cwd=None, environment=None, **submitted):
    """Runs a job under `sparkprof run`, whose output goes to FOLDER/NAME. `submitted` and the script are those of submit(); the
    script may be the name of a class in tests/e2e/jobs, too, which is compiled to FOLDER."""
    spark = spark or Spark()
    if (JOBS / f"{script}.java").exists():
        script = spark.compile_job(script, folder)
    command = submit(script, *arguments, **submitted)
    return run_profiled(pathlib.Path(folder) / name, command, spark, sparkprof, code, cwd, **(environment or {}))


class Cluster:
    """A standalone master with workers on loopback, two of one core each unless told otherwise. It ends with the test.

    `hosts` gives each worker an address of its own in 127.0.0.0/8, which Spark then takes for different machines.
    """

    def __init__(self, test, spark=None, hosts=("localhost", "localhost"), cores=1, rest_port=None):
        self.spark = spark or Spark()
        self.folder = test.folder
        self.processes = []
        test.addCleanup(self.close)
        self.master_options = f"-Dspark.master.rest.enabled=true -Dspark.master.rest.port={rest_port}" if rest_port else ""
        log = self._start("master", "org.apache.spark.deploy.master.Master", "localhost", "--port", "0")
        self.url = wait_until(lambda: self._master_url(log), "the master's address")
        for number, host in enumerate(hosts):
            name = f"worker-{number}"
            size = ("--cores", str(cores), "--memory", "1g", "--work-dir", str(self.folder / name))
            log = self._start(name, "org.apache.spark.deploy.worker.Worker", host, *size, self.url)
            wait_until(lambda log=log: "Successfully registered" in log.read_text(errors="replace"), "a worker")

    def _start(self, name, main, host, *arguments):
        log = self.folder / f"{name}.log"
        command = [str(self.spark.home / "bin" / "spark-class"), main, "--host", host, "--webui-port", "0", *arguments]
        environment = self.spark.environment(SPARK_DAEMON_MEMORY="256m", SPARK_MASTER_OPTS=self.master_options)
        with open(log, "wb") as stream:
            outputs = {"stdin": subprocess.DEVNULL, "stdout": stream, "stderr": stream}
            self.processes.append(subprocess.Popen(command, env=environment, start_new_session=True, **outputs))
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
