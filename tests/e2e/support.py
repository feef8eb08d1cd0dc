# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the end-to-end tests: where things are, commands that run to their end, waiting, and readers of the output."""

import base64
import contextlib
import gzip
import importlib.util
import json
import os
import pathlib
import random
import shlex
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
EXAMPLES = REPOSITORY / "examples"
OLD_RECORDING = REPOSITORY / "tests" / "cases" / "recordings" / "0.1.sprof"
SHARED_LOGS = pathlib.Path(os.environ.get("SPARKPROF_SHARED_DATA", REPOSITORY.parent / "shared" / "data")) / "eventlogs"
SPARKPROF = os.environ.get("SPARKPROF_BIN", str(REPOSITORY / "bin" / "sparkprof"))
PLUGIN_JAR = os.environ.get("SPARKPROF_PLUGIN_JAR", str(REPOSITORY / "lib" / "sparkprof-spark.jar"))
CACHE = pathlib.Path(
    os.environ.get("SPARKPROF_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sparkprof"
)
PEERS = CACHE / "peers"
SLOW = os.environ.get("SPARKPROF_SLOW_TESTS") == "1"
# Rounds of tests that kill at random moments.
ROUNDS = int(os.environ.get("SPARKPROF_ROUNDS", "100" if SLOW else "3"))
AS_NOBODY = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")
DEADLINE = 600  # seconds for one command or one event; only a hang takes that long, on a slow and busy machine, too
SHOWN = 4000  # characters of an output that a failure shows

# A runner started in the background of a shell ignores these, and so would every process that the tests send them to.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def slow(subject):
    """Decorates a class or test that only `make test-all` runs; `subject` opens the reason: "YARN is"."""
    return unittest.skipUnless(SLOW, f"{subject} in the slow set: make test-all")


def execute(*command, code=0, **options):
    """Runs a command to its end with the `options` of subprocess.run. An exit code other than `code` is an error that shows
    the output; None: any code is expected."""
    done = subprocess.run(list(map(str, command)), **{"capture_output": True, "text": True, "timeout": DEADLINE} | options)
    if code is not None and done.returncode != code:
        printed = "\n".join(str(output)[-SHOWN:] for output in (done.stdout, done.stderr))
        raise AssertionError(f"{shlex.join(done.args)}: exit {done.returncode}, expected {code}\n{printed}")
    return done


def sparkprof(*arguments, **options):
    return execute(SPARKPROF, *arguments, **options)


def json_of(*arguments, **options):
    """The JSON that a command of sparkprof prints."""
    return json.loads(sparkprof(*arguments, "--json", **options).stdout)


def bench_module(name):
    """bench/NAME.py"""
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / "bench" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def report_bytes(page):
    """The data inside a report, decompressed."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    packed = text.split('id="sparkprof-data" type="application/octet-stream">', 1)[1].split("<", 1)[0]
    return gzip.decompress(base64.b64decode(packed))


def json_of_report(data):
    return json.loads(data[12 : 12 + int.from_bytes(data[8:12], "little")])


def report_data(page):
    """The JSON inside a report (docs/report-data.md), without its columns."""
    return json_of_report(report_bytes(page))


def stacks_of(collapsed):
    """{stack: weight} of a collapsed flame graph."""
    stacks = {}
    for line in collapsed.splitlines():
        stack, weight = line.rsplit(" ", 1)
        stacks[stack] = stacks.get(stack, 0) + int(weight)
    return stacks


def weight_of(stacks, *parts):
    """The weight of the stacks that have all of these parts."""
    return sum(weight for stack, weight in stacks.items() if all(part in stack for part in parts))


def blocks_of(recording):
    """The blocks of a recording as they are in its bytes (src/model/segment/block.h)."""
    blocks, at = [], 0
    while at < len(recording):
        size = 24 + int.from_bytes(recording[at + 8 : at + 12], "little")
        if not recording.startswith(b"SPRF", at) or at + size > len(recording):
            raise ValueError("not a whole block")
        blocks.append(recording[at : at + size])
        at += size
    return blocks


def write_file(path, text, mode):
    """A file with these permissions; its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def program_for_all(folder):
    """A copy of sparkprof that every user may run: the checkout may lie in a home directory."""
    real = execute("bash", "-c", 'type -P "$0"', SPARKPROF).stdout.strip()
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


class TestCase(unittest.TestCase):
    """A folder for each test, removed afterwards."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sparkprof-e2e-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def enter(self, manager):
        """The value of a context manager that ends with the test."""
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def start(self, *command, **options):
        """Starts a command in the background with the `options` of subprocess.Popen, and kills it when the test ends. See output().
        There are no pipes: a job whose log nobody reads stands still when the pipe is full."""
        with open(self.folder / "stdout", "wb") as out, open(self.folder / "stderr", "wb") as err:
            outputs = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": err}
            process = subprocess.Popen(list(map(str, command)), **outputs | options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def printed(self, name="stderr"):
        """The output so far of the command that was started last."""
        return (self.folder / name).read_text(errors="replace")

    def finish(self, process, code=0):
        """Waits for the end of a command that was started, as execute() does."""
        process.wait(timeout=DEADLINE)
        done = subprocess.CompletedProcess(process.args, process.returncode, self.printed("stdout"), self.printed())
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout[-SHOWN:] + done.stderr[-SHOWN:])
        return done


if sys.version_info < (3, 10):  # noqa: UP036
    raise SystemExit("the end-to-end tests need Python 3.10 or later")
