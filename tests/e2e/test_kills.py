# SPDX-License-Identifier: Apache-2.0
"""The remains after something is killed: the recording, the job's result, and no process or file of ours."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import unittest

from support import (
    DEADLINE,
    REPOSITORY,
    SPARKPROF,
    Cluster,
    Profile,
    Spark,
    TestCase,
    agents,
    processes_named,
    run_profiled,
    sparkprof,
    wait_until,
)


def executors_of(cluster_folder):
    """Pids of the executor JVMs whose work lies under `cluster_folder`."""
    return [pid for pid in processes_named("CoarseGrainedExecutorBackend") if str(cluster_folder) in folder_of(pid)]


def folder_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:  # it has ended
        return ""


def seconds_in_tasks(executor):
    """CPU time of the threads that run its tasks."""
    ticks = 0
    for stat in pathlib.Path(f"/proc/{executor}/task").glob("*/stat"):
        with contextlib.suppress(OSError):  # a thread that has ended
            name, fields = stat.read_text().split("(", 1)[1].rsplit(")", 1)
            if name.startswith("Executor task l"):
                ticks += sum(map(int, fields.split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


class KillTest(TestCase):
    def setUp(self):
        super().setUp()
        self.there_before = self.files_of_sparkprof()
        self.agents_before = agents()

    @staticmethod
    def files_of_sparkprof():
        found = [*pathlib.Path("/tmp").glob("sparkprof*"), *pathlib.Path("/dev/shm").glob("*sparkprof*")]
        return {path for path in found if not path.name.startswith("sparkprof-e2e-")}

    def start(self, spark, master, seconds, tasks, *options):
        jar = spark.compile_job("KnownCpu", self.folder)
        # Not pipes: a driver whose log nobody reads stands still when the pipe is full.
        with open(self.folder / "stdout", "wb") as out, open(self.folder / "stderr", "wb") as err:
            return subprocess.Popen(
                [
                    SPARKPROF,
                    "run",
                    "--output-dir",
                    str(self.folder / "out"),
                    "--",
                    "spark-submit",
                    "--master",
                    master,
                    "--executor-memory",
                    "512m",
                    *options,
                    "--class",
                    "KnownCpu",
                    jar,
                    str(seconds),
                    str(tasks),
                ],
                stdout=out,
                stderr=err,
                env=spark.environment(),
            )

    def finish(self, process):
        process.wait(timeout=DEADLINE)
        stdout, stderr = ((self.folder / name).read_text(errors="replace") for name in ("stdout", "stderr"))
        return Profile(self.folder / "out", subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr))

    def wait_for_recording(self):
        """Until something is in a recording: the file is there before its first block is."""
        recordings = (self.folder / "out").rglob
        wait_until(lambda: any(path.stat().st_size > 0 for path in recordings("*.sprof")), "the agent to write")

    def assert_nothing_left(self):
        wait_until(lambda: not agents() - self.agents_before, "every agent to end", 60)
        self.assertEqual(self.files_of_sparkprof() - self.there_before, set())

    def test_sigkill_of_an_executor_keeps_its_running_tasks_up_to_ten_seconds_before(self):
        spark = Spark("4.1.1")
        cluster = Cluster(spark, self.folder)
        self.addCleanup(cluster.close)
        # No retry: the task that ran in the killed executor must be told from what it wrote itself.
        process = self.start(spark, cluster.url, 22, 2, "--conf", "spark.task.maxFailures=1")
        executors = wait_until(lambda: len(executors_of(self.folder)) == 2 and executors_of(self.folder), "two executors")
        segments = self.folder / "out"
        wait_until(lambda: len(list(segments.rglob("*.sprof"))) >= 3, "three recordings on the way")
        # The executors' tasks burn for 22 s; after 16 s of the victim's own, "10 s before" says something.
        victim = executors[0]
        wait_until(lambda: seconds_in_tasks(victim) > 16, "the victim to burn CPU")
        burnt, executor = seconds_in_tasks(victim), pathlib.Path(folder_of(victim)).name
        os.kill(victim, signal.SIGKILL)
        profile = self.finish(process)
        self.assertNotEqual(profile.process.returncode, 0)
        stacks = profile.collapsed("--event", "cpu", "--executor", executor)
        recorded = sum(weight for stack, weight in stacks.items() if "KnownCpu.burn" in stack) / 1e9
        self.assertGreater(recorded, 0.95 * burnt - 10)
        self.assertEqual(profile.info()["counts"]["tasks"], 2)
        self.assert_nothing_left()

    def test_sigkill_of_the_agent_leaves_the_result_of_the_job_as_it_is(self):
        spark = Spark("4.1.1")
        process = self.start(spark, "local[2]", 5, 2)
        self.wait_for_recording()
        for pid in agents(below=process.pid):
            os.kill(pid, signal.SIGKILL)
        profile = self.finish(process)
        self.assertEqual(profile.process.returncode, 0, profile.process.stderr[-4000:])
        self.assertEqual(len(profile.process.stdout.splitlines()), 2)
        self.assertTrue(profile.recording.exists(), profile.process.stderr[-2000:])
        self.assertFalse(profile.info()["complete"])
        self.assert_nothing_left()

    @unittest.skipIf(os.geteuid() != 0, "only root can mount a small disk")
    def test_a_full_disk_costs_the_profile_and_not_the_job(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", str(disk)], capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            self.skipTest(mounted.stderr)
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=True)
        spark = Spark("3.5.7")
        command = ["spark-submit", "--master", "local[2]", "--class", "KnownCpu", spark.compile_job("KnownCpu", self.folder), "3", "2"]
        profile = run_profiled(spark, self.folder / "out", command, options=["--dir", str(disk / "pieces")])
        self.assert_succeeded(profile)
        self.assertEqual(len(profile.process.stdout.splitlines()), 2)
        told = [line for line in profile.process.stderr.splitlines() if "No space left on device" in line]
        self.assertEqual(len(told), 1, profile.process.stderr[-4000:])
        self.assertFalse(profile.info()["complete"])
        self.assert_nothing_left()

    def test_sigkill_of_the_driver_leaves_a_report_and_no_agent(self):
        spark = Spark("3.5.7")
        process = self.start(spark, "local[2]", 60, 2)
        self.wait_for_recording()
        (driver,) = [pid for pid in processes_named("org.apache.spark.deploy.SparkSubmit") if str(self.folder).encode() in _command(pid)]
        os.kill(driver, signal.SIGKILL)
        profile = self.finish(process)
        self.assertEqual(profile.process.returncode, 137)
        self.assertTrue((profile.output / "report.html").exists(), profile.process.stderr[-2000:])
        first = json.loads(sparkprof("findings", "--json", profile.recording).stdout)[0]
        self.assertEqual((first["rule"], first["title"]), ("lost-driver", "The driver was killed (SIGKILL)"))
        self.assertIn("exit code 137 of spark-submit", first["measured"])
        self.assert_nothing_left()


def _command(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


class CleanEndTest(TestCase):
    def test_a_job_that_ends_in_order_leaves_no_process_and_no_file(self):
        before, agents_before = set(pathlib.Path("/tmp").iterdir()), agents()
        home = self.folder / "cwd"
        home.mkdir()
        spark = Spark("4.1.1")
        jar = spark.compile_job("KnownCpu", self.folder)
        profile = run_profiled(
            spark, home / "out", ["spark-submit", "--master", "local[2]", "--class", "KnownCpu", jar, "1", "2"], cwd=home
        )
        self.assert_succeeded(profile)
        self.assertEqual([p.name for p in home.iterdir()], ["out"])
        self.assertEqual(sorted(p.name for p in (home / "out").iterdir()), ["flame.svg", "recording.sprof", "report.html", "summary.json"])
        wait_until(lambda: not agents() - agents_before, "every agent to end", 60)
        self.assertEqual(
            [p.name for p in set(pathlib.Path("/tmp").iterdir()) - before if "sparkprof" in p.name and "e2e" not in p.name], []
        )


class DemoTest(TestCase):
    def test_the_demo_job_leaves_a_report_whose_parts_agree(self):
        spark = Spark("4.1.1")
        output = REPOSITORY / "build" / "e2e" / "demo"
        profile = run_profiled(
            spark, output, ["spark-submit", "--master", "local[2]", str(REPOSITORY / "examples" / "demo_job.py"), "1500000"]
        )
        self.assert_succeeded(profile)
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


if __name__ == "__main__":
    unittest.main()
