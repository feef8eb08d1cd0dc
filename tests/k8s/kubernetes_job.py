# SPDX-License-Identifier: Apache-2.0
"""Tests with jobs on the cluster: submitting them, profiled or not, and what is expected of their recordings."""

import json
import re
import subprocess
import time

import cluster_of_tests
from images import MODES, submit_options
from support import DEADLINE, REPOSITORY, SPARKPROF, Profile, Spark, TestCase, sparkprof, wait_until

JOB = REPOSITORY / "tests" / "k8s" / "job.py"
FUNCTION = "compute_for_seconds"  # of that job
LONGEST_LOSS = 10  # seconds before a fault that may be lost
RECORDED = LONGEST_LOSS + 5  # seconds that a task runs before the fault


class KubernetesTest(TestCase):
    def setUp(self):
        super().setUp()
        self.cluster = cluster_of_tests.get()
        self.data = self.folder / "data"
        self.data.mkdir()
        self.data.chmod(0o777)
        self.addCleanup(self.delete_pods)

    def delete_pods(self):
        self.cluster.kubectl("delete", "pods,services,configmaps", "-l", "spark-app-selector", "--grace-period=0", "--force", check=False)
        wait_until(lambda: not self.cluster.pods("spark-app-selector"), "the pods to end")

    def submit(self, mode, *arguments, version="4.1.1", job=JOB, **settings):
        """The command of a job with these arguments behind its folder."""
        spark = Spark(version)
        options = [*submit_options(self.cluster, spark, self.data, **settings), *MODES[mode]]
        job = f"local://{job}" if mode == "cluster" else job
        return spark, [str(spark.home / "bin" / "spark-submit"), *options, str(job), str(self.data), *map(str, arguments)]

    def start(self, mode, *arguments, options=(), **settings):
        """Starts a profiled job; see finish()."""
        spark, command = self.submit(mode, *arguments, **settings)
        options = options or (["--dir", str(self.data / "recordings")] if mode == "cluster" else [])
        with open(self.folder / "stdout", "wb") as out, open(self.folder / "stderr", "wb") as err:
            process = subprocess.Popen(
                [SPARKPROF, "run", *options, "--output-dir", str(self.folder / "out"), "--", *command],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=spark.environment(),
            )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        process.wait(timeout=DEADLINE)
        stdout, stderr = ((self.folder / name).read_text(errors="replace") for name in ("stdout", "stderr"))
        return Profile(self.folder / "out", subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr))

    def run_job(self, *arguments, **settings):
        return self.finish(self.start(*arguments, **settings))

    def logs_of_driver(self):
        (driver,) = self.cluster.pods("spark-role=driver")
        return self.cluster.kubectl("logs", driver["metadata"]["name"]).stdout

    def assert_reported(self, profile):
        found = re.findall(r"(?m)^sparkprof: (report|recording): (.+)$", profile.process.stderr)
        wanted = {"report": f"{profile.output}/report.html", "recording": f"{profile.output}/recording.sprof"}
        self.assertEqual((len(found), dict(found)), (2, wanted), profile.process.stderr[-4000:])

    def assert_profiled(self, profile, executors, tasks):
        self.assert_succeeded(profile)
        self.assert_reported(profile)
        info = profile.info()
        self.assertTrue(info["complete"])
        self.assertEqual((info["counts"]["executors"], info["counts"]["tasks"]), (executors, tasks))
        for executor in range(1, executors + 1):
            stacks = profile.collapsed("--event", "cpu", "--executor", str(executor))
            self.assertTrue(any(FUNCTION in stack for stack in stacks), f"executor {executor}: {list(stacks)[:5]}")

    def await_running_task(self):
        """Until task 0 has run for long enough to lose something of it, and returns its executor's pod."""
        started = self.data / "started-0-0"
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
