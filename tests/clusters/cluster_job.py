# SPDX-License-Identifier: Apache-2.0
"""Tests with jobs on a cluster: submitting them, profiled or not, and what is expected of their recordings."""

import json
import pathlib
import re
import subprocess
import time

from support import DEADLINE, SPARKPROF, Profile, TestCase, sparkprof, wait_until

JOB = pathlib.Path(__file__).resolve().parent / "job.py"
DYNAMIC_JOB = JOB.parent / "dynamic_job.py"
FUNCTION = "compute_for_seconds"  # of both jobs
LONGEST_LOSS = 10  # seconds before a fault that may be lost
RECORDED = LONGEST_LOSS + 5  # seconds that a task runs before the fault


class ClusterTest(TestCase):
    """`data` is the folder of the job, which all containers share."""

    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.data.mkdir()
        self.data.chmod(0o777)

    def start_command(self, command, environment, options=()):
        """Starts a profiled job; see finish()."""
        return self.start_program([SPARKPROF, "run", *options, "--output-dir", self.folder / "out", "--", *command], environment)

    def start_program(self, command, environment):
        # Not pipes: a driver whose log nobody reads stands still when the pipe is full.
        with open(self.folder / "stdout", "wb") as out, open(self.folder / "stderr", "wb") as err:
            process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        process.wait(timeout=DEADLINE)
        stdout, stderr = ((self.folder / name).read_text(errors="replace") for name in ("stdout", "stderr"))
        return Profile(self.folder / "out", subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr))

    def assert_reported(self, profile):
        found = re.findall(r"(?m)^sparkprof: (report|recording): (.+)$", profile.process.stderr)
        wanted = {"report": f"{profile.output}/report.html", "recording": f"{profile.output}/recording.sprof"}
        self.assertEqual((len(found), dict(found)), (2, wanted), profile.process.stderr[-4000:])

    def assert_profiled(self, profile, executors, tasks):
        self.assert_succeeded(profile)
        self.assert_reported(profile)
        info = profile.info()
        self.assertTrue(info["complete"], sparkprof("info", profile.recording).stdout)
        self.assertEqual((info["counts"]["executors"], info["counts"]["tasks"]), (executors, tasks))
        for executor in range(1, executors + 1):
            stacks = profile.collapsed("--event", "cpu", "--executor", str(executor))
            self.assertTrue(any(FUNCTION in stack for stack in stacks), f"executor {executor}: {list(stacks)[:5]}")

    def assert_job_succeeded(self, profile, tasks=2):
        self.assert_succeeded(profile)
        self.assertEqual(profile.process.stdout, f"tasks: {tasks}\n")

    def await_running_task(self, attempt=0):
        """Until task 0 has run for long enough to lose something of it, and returns its executor's pod or container."""
        started = self.data / f"started-0-{attempt}"
        wait_until(started.exists, "the first task")
        wait_until(lambda: time.time() - started.stat().st_mtime > RECORDED, "the task to run for a while")
        return started.read_text()

    def assert_kept_until(self, profile, executor, fault):
        """Samples of that executor's tasks reach up to LONGEST_LOSS seconds before `fault`."""
        start = profile.info()["applications"][0]["startTime"] / 1000
        window = ["--from", f"{fault - LONGEST_LOSS - start:.3f}s", "--to", f"{fault + 1 - start:.3f}s"]
        stacks = profile.collapsed("--event", "cpu", "--executor", executor, *window)
        self.assertTrue(any(FUNCTION in stack for stack in stacks), f"{window}: {list(stacks)[:5]}")

    def findings(self, profile):
        return {finding["rule"]: finding for finding in json.loads(sparkprof("findings", "--json", profile.recording).stdout)}
