# SPDX-License-Identifier: Apache-2.0
"""Real YARN and HDFS: where recordings go in client and cluster mode, how the Python sampler gets into the containers, and
what a killed container leaves."""

import contextlib
import os
import re
import shutil
import signal
import tempfile

from hadoop_cluster import HadoopCluster
from proc import agents, processes_named, program_of, seconds_in_tasks
from spark_jobs import Profile, Spark, profiled, run_profiled, submit
from support import DEADLINE, PLUGIN_JAR, SHOWN, SPARKPROF, TestCase, execute, json_of, slow, wait_until

PLUGIN = {"spark.plugins": "org.sparkprof.SparkProfPlugin"}
CLUSTER_MODE = ("--deploy-mode", "cluster")


@slow("YARN is")
class YarnTest(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.spark = Spark()
        folder = tempfile.mkdtemp(prefix="sparkprof-e2e-yarn-")
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.cluster = HadoopCluster(folder)
        cls.addClassCleanup(cls.cluster.close)
        cls.jar = cls.spark.compile_job("KnownCpu", folder)

    def command(self, script, *arguments, options=(), conf=None):
        return submit(script, *arguments, master=None, conf=conf, options=[*self.cluster.submit_options(self.spark), *options])

    def known_cpu(self, seconds, tasks, *options, **conf):
        return self.command(self.jar, seconds, tasks, options=options, conf=conf)

    def profiled(self, command, name="out", sparkprof=(), code=0):
        return run_profiled(self.folder / name, command, self.spark, sparkprof, code, HADOOP_CONF_DIR=self.cluster.conf)

    def submit(self, command):
        """Runs a job without the wrapper; its application id."""
        result = execute(*command, env=self.cluster.environment(self.spark))
        return re.search(r"Submitted application (application_\d+_\d+)", result.stderr)[1]

    def submit_with_plugin(self, script, *arguments, **conf):
        """In cluster mode."""
        options = [*CLUSTER_MODE, "--jars", PLUGIN_JAR]
        return self.submit(self.command(script, *arguments, options=options, conf=PLUGIN | conf))

    def submit_with_folder(self, script, *arguments):
        """The same, with a folder for recordings, a copy of which is in `self.folder`."""
        application = self.submit_with_plugin(script, *arguments, **{"spark.sparkprof.dir": f"{self.cluster.hdfs}/profiles"})
        self.cluster.file_system("-get", f"/profiles/{application}", self.folder)
        return application

    @contextlib.contextmanager
    def monitored(self):
        """The folder in which `sparkprof monitor` records the processes of the NodeManager meanwhile."""
        nodes = self.folder / "nodes"
        watched = ("--root", "nodemanager", "--others", "0s", "--interval", "200ms")
        monitor = self.start(SPARKPROF, "monitor", "--dir", nodes, *watched)
        yield nodes
        monitor.terminate()
        self.finish(monitor)

    def assert_burnt(self, recording, seconds):
        profile = Profile(self.folder, recording=recording)
        self.assertGreater(profile.seconds("KnownCpu.burn", "--event", "cpu"), 0.9 * seconds)
        return profile.info()

    def test_run_in_client_mode_collects_every_executor(self):
        profile = self.profiled(self.known_cpu(4, 4))
        info = self.assert_burnt(profile.recording, 16)
        self.assertTrue(info["complete"])
        self.assertEqual(info["counts"]["executors"], 2)
        self.assertEqual(info["counts"]["tasks"], 4)

    def test_run_in_cluster_mode_copies_the_recording_from_the_clusters_file_system(self):
        profile = self.profiled(self.known_cpu(4, 4, *CLUSTER_MODE))
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
        for name in ("first", "second"):
            profile = self.profiled(self.known_cpu(1, 2, *CLUSTER_MODE), name, ("--dir", folder))
            self.assertEqual(len(profile.info()["applications"]), 1)

    def test_a_monitor_types_and_assigns_every_process_of_every_container(self):
        with self.monitored() as nodes:
            client = self.submit(self.known_cpu(4, 4))
            cluster = self.submit(self.known_cpu(4, 4, *CLUSTER_MODE))
        rows = json_of("show", "processes", nodes, "--where", "container ~ '^container_'")
        self.assertEqual({row["application"] for row in rows}, {client, cluster})
        self.assertEqual([row for row in rows if row["type"] == "other" and row["name"] in ("java", "bash")], [])
        for application, driver in ((client, "application_master"), (cluster, "jvm_driver")):
            own = [row for row in rows if row["application"] == application]
            self.assertLessEqual({"yarn", driver, "jvm_executor"}, {row["type"] for row in own})
            executors = {row["executor"] for row in own if row["type"] == "jvm_executor"}
            self.assertEqual(executors, {"1", "2"})

    def test_cluster_mode_uploads_to_hdfs(self):
        application = self.submit_with_folder(self.jar, 4, 4)
        info = self.assert_burnt(self.folder / application, 16)
        self.assertTrue(info["complete"])
        self.assertEqual(info["applications"][0]["id"], application)

    def test_without_a_folder_the_containers_logs_have_the_recordings(self):
        application = self.submit_with_plugin(self.jar, 4, 4)
        logs = wait_until(lambda: self.aggregated(application), "log aggregation")
        for number, recording in enumerate(logs):
            (self.folder / f"{number}.sprof").write_bytes(recording)
        info = self.assert_burnt(self.folder, 16)
        self.assertEqual(info["counts"]["tasks"], 4)

    def assert_python_is_joined(self, recording):
        """Nothing was installed on the nodes: the workers' frames stand under the frames of their tasks all the same."""
        profile = Profile(self.folder, recording=recording)
        joined = re.compile(r"org\.apache\.spark\.[^;]*;\[python worker\];.*\bseventy \(python_shares\.py:\d+\)")
        burnt = sum(weight for stack, weight in profile.collapsed().items() if joined.search(stack))
        self.assertAlmostEqual(burnt / 1e9, 2 * 2 * 0.7, delta=0.4)
        udfs = {udf["name"]: udf for udf in json_of("show", "udfs", recording)}
        self.assertAlmostEqual(udfs["burn_partition"]["cpuNs"] / 1e9, 4, delta=0.4)
        self.assertAlmostEqual(udfs["heavy"]["cpuNs"] / 1e9, 2000 * 0.0004, delta=0.25)

    def test_python_workers_are_sampled_in_client_mode(self):
        self.assert_python_is_joined(self.profiled(self.command("python_shares.py", 2, 2000)).recording)

    def test_python_workers_are_sampled_in_cluster_mode(self):
        self.assert_python_is_joined(self.folder / self.submit_with_folder("python_shares.py", 2, 2000))

    def test_a_killed_container_keeps_its_running_tasks_up_to_ten_seconds_before(self):
        agents_before = agents()
        command = self.known_cpu(30, 2, **{"spark.task.maxFailures": 1, "spark.yarn.max.executor.failures": 1})
        process = self.start(*profiled(self.folder / "out", command), env=self.cluster.environment(self.spark))
        burnt = wait_until(lambda: self.busy_executors(20), "two executors, one of which has burnt 20 s")
        os.kill(max(burnt, key=burnt.get), signal.SIGKILL)
        self.assertNotEqual(process.wait(timeout=DEADLINE), 0)
        self.assertTrue((self.folder / "out" / "recording.sprof").exists(), self.printed()[-SHOWN:])
        # By the tasks' own clocks; 10 s of the killed one's may be missing.
        self.assert_burnt(self.folder / "out" / "recording.sprof", sum(burnt.values()) - 10)
        wait_until(lambda: not agents() - agents_before, "every agent to end", 60)

    def test_a_container_killed_for_memory_shows_the_processes_that_made_up_its_sum(self):
        conf = {"spark.executor.instances": 1, "spark.task.maxFailures": 1}
        with self.monitored() as nodes:
            self.profiled(self.command("growing_partition.py", conf=conf), code=None)
        findings = json_of("findings", self.folder / "out" / "recording.sprof", nodes)
        [killed] = [finding for finding in findings if finding["rule"] == "oom"]
        self.assertIn("memory limits", killed["what"])
        sums = r"at the end its processes held [\d.]+ \w+: python_worker ([\d.]+) (MiB|GiB) \(process \d+\), jvm_executor"
        held = re.search(sums, killed["measured"])
        self.assertIsNotNone(held, killed["measured"])
        self.assertGreater(float(held[1]) * (1024 if held[2] == "GiB" else 1), 300)

    def aggregated(self, application):
        """The recordings in what `yarn logs` prints, once all three containers' are there."""
        try:
            text = self.cluster.logs(application)
        except AssertionError:
            return None
        heads = rb"LogType:sparkprof-\S+\.sprof\nLogLastModifiedTime:.*\nLogLength:(\d+)\nLogContents:\n"
        found = [text[head.end() : head.end() + int(head[1])] for head in re.finditer(heads, text)]
        return found if len(found) == 3 else None

    def busy_executors(self, seconds):
        """{pid: CPU seconds of its task threads} of both executors, once one of them has burnt so much."""
        burnt = {pid: seconds_in_tasks(pid) for pid in processes_named("YarnCoarseGrainedExecutorBackend") if program_of(pid) == "java"}
        return burnt if len(burnt) == 2 and max(burnt.values()) > seconds else None
