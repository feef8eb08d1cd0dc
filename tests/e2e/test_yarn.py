# SPDX-License-Identifier: Apache-2.0
"""Real YARN and HDFS: where recordings go in client and cluster mode, how the Python sampler gets into the containers, and
what a killed container leaves."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from hadoop_cluster import HadoopCluster
from support import (
    DEADLINE,
    JOBS,
    SPARKPROF,
    Profile,
    Spark,
    TestCase,
    agents,
    processes_named,
    program_of,
    run_profiled,
    slow,
    sparkprof,
    wait_until,
)

PLUGIN = ("--conf", "spark.plugins=org.sparkprof.SparkProfPlugin")


@slow("YARN is")
class YarnTest(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.spark = Spark("4.1.1")
        folder = tempfile.mkdtemp(prefix="sparkprof-e2e-yarn-")
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.cluster = HadoopCluster(folder)
        cls.addClassCleanup(cls.cluster.close)
        cls.jar = cls.spark.compile_job("KnownCpu", folder)

    def command(self, seconds, tasks, *options):
        return ["spark-submit", *self.cluster.submit_options(self.spark), *options, "--class", "KnownCpu", self.jar, seconds, tasks]

    def submit(self, *arguments):
        """A job with the plugin but without the wrapper; its application id."""
        result = subprocess.run(
            list(map(str, arguments)),
            env=self.cluster.environment(self.spark),
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        self.assertEqual(result.returncode, 0, result.stderr[-4000:])
        return re.search(r"Submitted application (application_\d+_\d+)", result.stderr).group(1)

    def assert_burnt(self, recording, seconds):
        profile = Profile(self.folder, None)
        profile.recording = recording
        burnt = sum(weight for stack, weight in profile.collapsed("--event", "cpu").items() if "KnownCpu.burn" in stack)
        self.assertGreater(burnt / 1e9, 0.9 * seconds)
        return profile.info()

    def test_run_in_client_mode_collects_every_executor(self):
        profile = run_profiled(self.spark, self.folder / "out", self.command(4, 4), HADOOP_CONF_DIR=str(self.cluster.conf))
        self.assert_succeeded(profile)
        info = self.assert_burnt(profile.recording, 16)
        self.assertTrue(info["complete"])
        self.assertEqual(info["counts"]["executors"], 2)
        self.assertEqual(info["counts"]["tasks"], 4)

    def test_run_in_cluster_mode_copies_the_recording_from_the_clusters_file_system(self):
        command = self.command(4, 4, "--deploy-mode", "cluster")
        profile = run_profiled(self.spark, self.folder / "out", command, HADOOP_CONF_DIR=str(self.cluster.conf))
        self.assert_succeeded(profile)
        self.assertIn(f"sparkprof: report: {self.folder}/out/report.html\n", profile.process.stderr)
        self.assertIn(f"sparkprof: recording: {self.folder}/out/recording.sprof\n", profile.process.stderr)
        info = self.assert_burnt(profile.recording, 16)
        self.assertTrue(info["complete"])
        self.assertEqual(len(info["applications"]), 1)
        # The folder of the run is gone.
        left = self.cluster.file_system("-ls", "-R", "/user")
        self.assertNotIn(b".sprof", left)

    def test_run_with_dir_copies_only_its_own_application(self):
        folder = f"{self.cluster.hdfs}/shared"
        environment = {"HADOOP_CONF_DIR": str(self.cluster.conf)}
        for name in ("first", "second"):
            command = self.command(1, 2, "--deploy-mode", "cluster")
            profile = run_profiled(self.spark, self.folder / name, command, ("--dir", folder), **environment)
            self.assert_succeeded(profile)
            self.assertEqual(len(profile.info()["applications"]), 1)

    def test_a_monitor_types_and_assigns_every_process_of_every_container(self):
        nodes = self.folder / "nodes"
        monitor = subprocess.Popen(
            [SPARKPROF, "monitor", "--dir", nodes, "--root", "nodemanager", "--others", "0s", "--interval", "200ms"],
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            client = self.submit(*self.command(4, 4))
            cluster = self.submit(*self.command(4, 4, "--deploy-mode", "cluster"))
        finally:
            monitor.terminate()
            self.assertEqual(monitor.wait(timeout=DEADLINE), 0, monitor.stderr.read())
        rows = json.loads(sparkprof("show", "processes", nodes, "--json", "--where", "container ~ '^container_'").stdout)
        self.assertEqual({row["application"] for row in rows}, {client, cluster})
        self.assertEqual([row for row in rows if row["type"] == "other" and row["name"] in ("java", "bash")], [])
        for application, types in (
            (client, {"yarn", "application_master", "jvm_executor"}),
            (cluster, {"yarn", "jvm_driver", "jvm_executor"}),
        ):
            own = [row for row in rows if row["application"] == application]
            self.assertLessEqual(types, {row["type"] for row in own})
            executors = {row["executor"] for row in own if row["type"] == "jvm_executor"}
            self.assertEqual(executors, {"1", "2"})

    def test_cluster_mode_uploads_to_hdfs(self):
        application = self.submit(
            *self.command(
                4,
                4,
                "--deploy-mode",
                "cluster",
                "--jars",
                str(self.plugin_jar()),
                *PLUGIN,
                "--conf",
                f"spark.sparkprof.dir={self.cluster.hdfs}/profiles",
            )
        )
        self.cluster.file_system("-get", f"/profiles/{application}", self.folder)
        info = self.assert_burnt(self.folder / application, 16)
        self.assertTrue(info["complete"])
        self.assertEqual(info["applications"][0]["id"], application)

    def test_without_a_folder_the_containers_logs_have_the_recordings(self):
        application = self.submit(*self.command(4, 4, "--deploy-mode", "cluster", "--jars", str(self.plugin_jar()), *PLUGIN))
        logs = wait_until(lambda: self.aggregated(application), "log aggregation")
        for number, recording in enumerate(logs):
            (self.folder / f"{number}.sprof").write_bytes(recording)
        info = self.assert_burnt(self.folder, 16)
        self.assertEqual(info["counts"]["tasks"], 4)

    def python_command(self, *options):
        return ["spark-submit", *self.cluster.submit_options(self.spark), *options, JOBS / "python_shares.py", 2, 2000]

    def assert_python_is_joined(self, recording):
        """Nothing was installed on the nodes: the workers' frames stand under the frames of their tasks all the same."""
        profile = Profile(self.folder, None)
        profile.recording = recording
        joined = re.compile(r"org\.apache\.spark\.[^;]*;\[python worker\];.*\bseventy \(python_shares\.py:\d+\)")
        burnt = sum(weight for stack, weight in profile.collapsed().items() if joined.search(stack))
        self.assertAlmostEqual(burnt / 1e9, 2 * 2 * 0.7, delta=0.4)
        udfs = {udf["name"]: udf for udf in json.loads(sparkprof("show", "udfs", recording, "--json").stdout)}
        self.assertAlmostEqual(udfs["burn_partition"]["cpuNs"] / 1e9, 4, delta=0.4)
        self.assertAlmostEqual(udfs["heavy"]["cpuNs"] / 1e9, 2000 * 0.0004, delta=0.25)

    def test_python_workers_are_sampled_in_client_mode(self):
        profile = run_profiled(self.spark, self.folder / "out", self.python_command(), HADOOP_CONF_DIR=str(self.cluster.conf))
        self.assert_succeeded(profile)
        self.assert_python_is_joined(profile.recording)

    def test_python_workers_are_sampled_in_cluster_mode(self):
        application = self.submit(
            *self.python_command(
                "--deploy-mode",
                "cluster",
                "--jars",
                str(self.plugin_jar()),
                *PLUGIN,
                "--conf",
                f"spark.sparkprof.dir={self.cluster.hdfs}/profiles",
            )
        )
        self.cluster.file_system("-get", f"/profiles/{application}", self.folder)
        self.assert_python_is_joined(self.folder / application)

    def test_a_killed_container_keeps_its_running_tasks_up_to_ten_seconds_before(self):
        agents_before = agents()
        process = subprocess.Popen(
            [
                SPARKPROF,
                "run",
                "--output-dir",
                str(self.folder / "out"),
                "--",
                *map(str, self.command(30, 2, "--conf", "spark.task.maxFailures=1", "--conf", "spark.yarn.max.executor.failures=1")),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.cluster.environment(self.spark),
        )
        burnt = wait_until(lambda: self.busy_executors(20), "two executors, one of which has burnt 20 s")
        os.kill(max(burnt, key=burnt.get), signal.SIGKILL)
        _, stderr = process.communicate(timeout=DEADLINE)
        self.assertNotEqual(process.returncode, 0)
        self.assertTrue((self.folder / "out" / "recording.sprof").exists(), stderr[-4000:])
        # By the tasks' own clocks; 10 s of the killed one's may be missing.
        self.assert_burnt(self.folder / "out" / "recording.sprof", sum(burnt.values()) - 10)
        wait_until(lambda: not agents() - agents_before, "every agent to end", 60)

    def test_a_container_killed_for_memory_shows_the_processes_that_made_up_its_sum(self):
        nodes = self.folder / "nodes"
        monitor = subprocess.Popen(
            [SPARKPROF, "monitor", "--dir", nodes, "--root", "nodemanager", "--others", "0s", "--interval", "200ms"],
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            run_profiled(
                self.spark,
                self.folder / "out",
                [
                    "spark-submit",
                    *self.cluster.submit_options(self.spark),
                    "--conf",
                    "spark.executor.instances=1",
                    "--conf",
                    "spark.task.maxFailures=1",
                    JOBS / "growing_partition.py",
                ],
                HADOOP_CONF_DIR=str(self.cluster.conf),
            )
        finally:
            monitor.terminate()
            self.assertEqual(monitor.wait(timeout=DEADLINE), 0, monitor.stderr.read())
        findings = json.loads(sparkprof("findings", self.folder / "out" / "recording.sprof", nodes, "--json").stdout)
        [killed] = [finding for finding in findings if finding["rule"] == "oom"]
        self.assertIn("memory limits", killed["what"])
        held = re.search(
            r"at the end its processes held [\d.]+ \w+: python_worker ([\d.]+) (MiB|GiB) \(process \d+\), jvm_executor", killed["measured"]
        )
        self.assertIsNotNone(held, killed["measured"])
        self.assertGreater(float(held[1]) * (1024 if held[2] == "GiB" else 1), 300)

    def plugin_jar(self):
        return os.path.join(os.path.dirname(os.path.dirname(SPARKPROF)), "lib", "sparkprof-spark.jar")

    def aggregated(self, application):
        """The recordings in what `yarn logs` prints, once all three containers' are there."""
        try:
            text = self.cluster.logs(application)
        except AssertionError:
            return None
        found = []
        for match in re.finditer(rb"LogType:(sparkprof-\S+\.sprof)\nLogLastModifiedTime:.*\nLogLength:(\d+)\nLogContents:\n", text):
            found.append(text[match.end() : match.end() + int(match.group(2))])
        return found if len(found) == 3 else None

    def busy_executors(self, seconds):
        """{pid: CPU seconds of its task threads} of both executors, once one of them has burnt so much."""
        burnt = {pid: task_seconds(pid) for pid in processes_named("YarnCoarseGrainedExecutorBackend") if program_of(pid) == "java"}
        return burnt if len(burnt) == 2 and max(burnt.values()) > seconds else None


def task_seconds(pid):
    """The CPU time of a JVM's threads that run tasks; 0 when it has ended."""
    ticks = 0
    for thread in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        with contextlib.suppress(OSError):
            name, fields = (thread / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
            if name.startswith("Executor task l"):
                ticks += sum(map(int, fields.split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    unittest.main()
