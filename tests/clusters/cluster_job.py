# SPDX-License-Identifier: Apache-2.0
"""Tests with jobs on a cluster: submitting them, profiled or not, and what is expected of their recordings."""

import pathlib
import re
import time

from spark_jobs import Profile, profiled
from support import SHOWN, TestCase, sparkprof, wait_until

JOB = pathlib.Path(__file__).resolve().parent / "job.py"
DYNAMIC_JOB = JOB.parent / "dynamic_job.py"
FUNCTION = "compute_for_seconds"  # in both jobs
LONGEST_LOSS = 10  # seconds before a fault that may be lost
RECORDED = LONGEST_LOSS + 5  # seconds that a task runs before the fault


class ClusterTest(TestCase):
    """`data` is the folder of the job, which all containers share."""

    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.data.mkdir()
        self.data.chmod(0o777)

    def start_profiled(self, command, environment, options=()):
        """Starts a command under `sparkprof run`; see profile_of()."""
        return self.start(*profiled(self.folder / "out", command, options), env=environment)

    def profile_of(self, process, code=None):
        """Waits for the end of a job; its profile."""
        return Profile(self.folder / "out", self.finish(process, code))

    def run_job(self, *arguments, code=None, **settings):
        return self.profile_of(self.start_job(*arguments, **settings), code)

    def await_tasks(self, count=2):
        """The texts that these tasks of the job wrote when they began."""
        started = [self.data / f"started-{task}-0" for task in range(count)]
        wait_until(lambda: all(file.exists() for file in started), "the tasks")
        return [file.read_text() for file in started]

    def assert_succeeded(self, profile):
        self.assertEqual(profile.process.returncode, 0, profile.process.stderr[-SHOWN:])

    def assert_reported(self, profile):
        found = re.findall(r"(?m)^sparkprof: (report|recording): (.+)$", profile.process.stderr)
        wanted = {"report": f"{profile.output}/report.html", "recording": f"{profile.output}/recording.sprof"}
        self.assertEqual((len(found), dict(found)), (2, wanted), profile.process.stderr[-SHOWN:])

    def assert_profiled(self, profile, executors, tasks):
        self.assert_succeeded(profile)
        self.assert_reported(profile)
        info = profile.info()
        self.assertTrue(info["complete"], sparkprof("info", profile.recording).stdout)
        self.assertEqual((info["counts"]["executors"], info["counts"]["tasks"]), (executors, tasks))
        for executor in range(1, executors + 1):
            self.assert_has_function(profile, "--executor", executor)

    def assert_has_function(self, profile, *selection):
        stacks = profile.collapsed("--event", "cpu", *selection)
        self.assertTrue(any(FUNCTION in stack for stack in stacks), f"{selection}: {list(stacks)[:5]}")

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
        self.assert_has_function(profile, "--executor", executor, *window)

    def findings(self, profile):
        return {finding["rule"]: finding for finding in profile.findings()}
