# SPDX-License-Identifier: Apache-2.0
"""A configured build tree: which object a source file becomes, which tests contain it, and how to build and run them."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time

MEMORY_BYTES = 8 << 30  # a change may make a loop that allocates without end


def run(command, seconds, cwd, environment=None):
    """The exit code; None when the time is over. Whatever it started is gone afterwards."""
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=environment,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES)),
    )
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


class BuildTree:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.build = self.root / "build" / "release"
        self.objects = {}  # source below the root: objects
        for entry in json.loads((self.build / "compile_commands.json").read_text()):
            source = pathlib.Path(entry["file"]).relative_to(self.root)
            self.objects.setdefault(str(source), []).append(re.search(r" -o (\S+)", entry["command"])[1])
        self.inputs = {name: self._inputs(name) for name in self._test_programs()}
        self.limits = {}

    def sources(self):
        return sorted(
            source
            for source in self.objects
            if source.startswith(("src/", "apps/")) and not source.endswith("_test.cc") and "/testing/" not in source
        )

    def tests_of(self, source):
        """The test programs nearest to the source of those that contain it; none of a file of the command line alone."""
        near = {}
        for name, inputs in self.inputs.items():
            if any(output in inputs for output in self.objects[source]):
                shared = len(os.path.commonpath([source, name]).split("/"))
                near.setdefault(shared if os.path.commonpath([source, name]) else 0, []).append(name)
        return sorted(near[max(near)]) if near else []

    def compiles(self, source):
        return self._ninja(*self.objects[source])

    def links(self, *programs):
        return self._ninja(*programs)

    def holds(self, program):
        """Whether a test program succeeds, in at most five times what it took on the unchanged tree."""
        # The torture of Python samplers takes as long as it is told to.
        environment = {**os.environ, "SPARKPROF_TORTURE_SECONDS": "4"}
        return self._within_limit(program, [str(self.build / program), "--gtest_fail_fast", "--gtest_brief=1"], environment)

    def cases_hold(self):
        environment = {**os.environ, "SPARKPROF_BIN": str(self.build / "apps" / "sparkprof" / "sparkprof")}
        return self._within_limit(
            "cases", ["python3", "-m", "unittest", "discover", "-f", "-s", "tests/cases", "-p", "test_cases.py"], environment
        )

    def _within_limit(self, name, command, environment):
        start = time.monotonic()
        code = run(command, self.limits.get(name, 600), self.root, environment)
        self.limits.setdefault(name, 30 + 5 * (time.monotonic() - start))
        return code == 0

    def _ninja(self, *targets):
        return run(["ninja", "-C", str(self.build), *targets], 600, self.root) == 0

    def _query(self, *arguments):
        return subprocess.run(["ninja", "-C", str(self.build), *arguments], capture_output=True, text=True, check=True).stdout

    def _test_programs(self):
        lines = self._query("-t", "targets", "all").splitlines()
        return [line.split(":")[0] for line in lines if "_test: CXX_EXECUTABLE_LINKER" in line]

    def _inputs(self, program):
        return set(self._query("-t", "inputs", program).split())
