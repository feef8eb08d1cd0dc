# SPDX-License-Identifier: Apache-2.0
"""The remains after something is killed: the recording, the job's result, and no process or file of ours."""

import os
import pathlib
import signal
import unittest

from proc import agents, command_of, folder_of, processes_named, seconds_in_tasks
from spark_jobs import Cluster, Profile, Spark, profiled, run_job, run_profiled, submit
from support import EXAMPLES, REPOSITORY, TestCase, execute, wait_until


def executors_of(cluster_folder):
    """Pids of the executor JVMs whose work lies under `cluster_folder`."""
    return [pid for pid in processes_named("CoarseGrainedExecutorBackend") if str(cluster_folder) in folder_of(pid)]


class KillTest(TestCase):
    def setUp(self):
        super().setUp()
        self.there_before = self.files_of_sparkprof()
        self.agents_before = agents()

    @staticmethod
    def files_of_sparkprof():
        found = [*pathlib.Path("/tmp").glob("sparkprof*"), *pathlib.Path("/dev/shm").glob("*sparkprof*")]
        return {path for path in found if not path.name.startswith("sparkprof-e2e-")}

    def start_job(self, seconds, spark=None, **submitted):
        """Two tasks that burn CPU for so long."""
        spark = spark or Spark()
        command = submit(spark.compile_job("KnownCpu", self.folder), seconds, 2, **submitted)
        return self.start(*profiled(self.folder / "out", command), env=spark.environment())

    def profile(self, process, code):
        return Profile(self.folder / "out", self.finish(process, code))

    def wait_for_recording(self):
        """Until something is in a recording: the file is there before its first block is."""
        recordings = (self.folder / "out").rglob
        wait_until(lambda: any(path.stat().st_size > 0 for path in recordings("*.sprof")), "the agent to write")

    def assert_nothing_left(self):
        wait_until(lambda: not agents() - self.agents_before, "every agent to end", 60)
        self.assertEqual(self.files_of_sparkprof() - self.there_before, set())

    def test_sigkill_of_an_executor_keeps_its_running_tasks_up_to_ten_seconds_before(self):
        # No retry: the task that ran in the killed executor must be told from what it wrote itself.
        conf = {"spark.executor.memory": "512m", "spark.task.maxFailures": 1}
        process = self.start_job(22, master=Cluster(self).url, conf=conf)
        executors = wait_until(lambda: len(executors_of(self.folder)) == 2 and executors_of(self.folder), "two executors")
        segments = self.folder / "out"
        wait_until(lambda: len(list(segments.rglob("*.sprof"))) >= 3, "three recordings on the way")
        # The executors' tasks burn for 22 s; after 16 s of the victim's own, "10 s before" says something.
        victim = executors[0]
        wait_until(lambda: seconds_in_tasks(victim) > 16, "the victim to burn CPU")
        burnt, executor = seconds_in_tasks(victim), pathlib.Path(folder_of(victim)).name
        os.kill(victim, signal.SIGKILL)
        profile = self.profile(process, code=None)
        self.assertNotEqual(profile.process.returncode, 0)
        self.assertGreater(profile.seconds("KnownCpu.burn", "--event", "cpu", "--executor", executor), 0.95 * burnt - 10)
        self.assertEqual(profile.info()["counts"]["tasks"], 2)
        self.assert_nothing_left()

    def test_sigkill_of_the_agent_leaves_the_result_of_the_job_as_it_is(self):
        process = self.start_job(5)
        self.wait_for_recording()
        for pid in agents(below=process.pid):
            os.kill(pid, signal.SIGKILL)
        profile = self.profile(process, code=0)
        self.assertEqual(len(profile.process.stdout.splitlines()), 2)
        self.assertTrue(profile.recording.exists(), profile.process.stderr[-2000:])
        self.assertFalse(profile.info()["complete"])
        self.assert_nothing_left()

    @unittest.skipIf(os.geteuid() != 0, "only root can mount a small disk")
    def test_a_full_disk_costs_the_profile_and_not_the_job(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = execute("mount", "-t", "tmpfs", "-o", "size=16k", "none", disk, code=None)
        if mounted.returncode != 0:
            self.skipTest(mounted.stderr)
        self.addCleanup(execute, "umount", disk)
        profile = run_job(self.folder, "KnownCpu", 3, 2, spark=Spark("3.5.7"), sparkprof=["--dir", disk / "pieces"])
        self.assertEqual(len(profile.process.stdout.splitlines()), 2)
        told = [line for line in profile.process.stderr.splitlines() if "No space left on device" in line]
        self.assertEqual(len(told), 1, profile.process.stderr[-4000:])
        self.assertFalse(profile.info()["complete"])
        self.assert_nothing_left()

    def test_sigkill_of_the_driver_leaves_a_report_and_no_agent(self):
        process = self.start_job(60, Spark("3.5.7"))
        self.wait_for_recording()
        (driver,) = [pid for pid in processes_named("org.apache.spark.deploy.SparkSubmit") if str(self.folder) in command_of(pid)]
        os.kill(driver, signal.SIGKILL)
        profile = self.profile(process, code=137)
        self.assertTrue((profile.output / "report.html").exists(), profile.process.stderr[-2000:])
        first = profile.findings()[0]
        self.assertEqual(
            (first["rule"], first["title"]), ("lost-driver", "The driver was lost: the process was killed (SIGKILL, exit code 137)")
        )
        self.assertIn("exit code 137 of spark-submit", first["measured"])
        self.assert_nothing_left()


class CleanEndTest(TestCase):
    def test_a_job_that_ends_in_order_leaves_no_process_and_no_file(self):
        before, agents_before = set(pathlib.Path("/tmp").iterdir()), agents()
        home = self.folder / "cwd"
        home.mkdir()
        run_profiled(home / "out", submit(Spark().compile_job("KnownCpu", self.folder), 1, 2), cwd=home)
        self.assertEqual([p.name for p in home.iterdir()], ["out"])
        self.assertEqual(sorted(p.name for p in (home / "out").iterdir()), ["flame.svg", "recording.sprof", "report.html", "summary.json"])
        wait_until(lambda: not agents() - agents_before, "every agent to end", 60)
        new = {path.name for path in set(pathlib.Path("/tmp").iterdir()) - before}
        self.assertEqual([name for name in new if "sparkprof" in name and "e2e" not in name], [])


class DemoTest(TestCase):
    def test_the_demo_job_leaves_a_report_whose_parts_agree(self):
        profile = run_job(REPOSITORY / "build" / "e2e", EXAMPLES / "demo_job.py", 1500000, name="demo")
        self.assertIn("region-0", profile.process.stdout)
        info = profile.info()
        self.assertEqual(info["applications"][0]["name"], "sparkprof demo")
        self.assertEqual(info["applications"][0]["sparkVersion"], "4.1.1")
        self.assertTrue(info["complete"])
        for event in ("cpu", "wall", "alloc"):
            self.assertGreater(info["samples"][event]["count"], 0, event)
        cpu = info["samples"]["cpu"]
        self.assertEqual(sum(profile.collapsed("--event", "cpu").values()), cpu["weight"])
        by_count = profile.collapsed("--event", "cpu", "--counts")
        self.assertEqual(sum(by_count.values()), cpu["count"])
        self.assertGreater(cpu["joined"] / cpu["onTaskThreads"], 0.95)
