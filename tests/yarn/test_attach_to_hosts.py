# SPDX-License-Identifier: Apache-2.0
"""sparkprof attach and monitor on two hosts of YARN, with a job that runs without sparkprof."""

import os

from cluster_of_tests import NODES
from network import command_on
from support import SPARKPROF, execute, json_of, sparkprof
from yarn_job import YarnTest

REMOTE = "ip netns exec {host} sh -c {command}"
FRAME = "PythonRunner"  # executors wait here for workers, the driver for its program


class AttachToHostsTest(YarnTest):
    def start_without_sparkprof(self, seconds):
        """The job and its executors."""
        process = self.start(*self.submit("cluster", 2, seconds), env=self.environment())
        return process, self.await_executors()

    def attach(self, *arguments, code=None):
        environment = os.environ | {"HADOOP_CONF_DIR": str(self.cluster.conf)}
        options = ("--remote", REMOTE, "--duration", "3s", "--event", "wall")
        return sparkprof("attach", *options, *arguments, code=code, cwd=self.folder, env=environment)

    def test_executors_of_an_application(self):
        _, executors = self.start_without_sparkprof(600)
        driver = self.host_of_master()
        application = self.application()["id"]
        with self.subTest("all"):
            done = self.attach("--yarn", application, "--all", code=0)
            files = {f"{executor.id}-{executor.host}" for executor in executors} | {f"driver-{driver}"}
            self.assertEqual(set(done.stdout.split()), {f"sparkprof-attach/{file}.jfr" for file in files}, done.stderr)
            for file in files:
                self.assert_profile_of(file)
        with self.subTest("one"):
            done = self.attach("--yarn", application, "--executor", "2", "--output-dir", "one")
            (executor,) = (one for one in executors if one.id == "2")
            self.assertEqual(done.stdout, f"one/2-{executor.host}.jfr\n", done.stderr)
        with self.subTest("printed commands"):
            printed = self.attach("--yarn", application, "--executor", "1", "--dry-run", "--output-dir", "printed")
            execute("sh", "-euc", printed.stdout, cwd=self.folder)
            (executor,) = (one for one in executors if one.id == "1")
            self.assert_profile_of(f"1-{executor.host}", "printed")

    def assert_profile_of(self, name, folder="sparkprof-attach"):
        stacks = sparkprof("flame", self.folder / folder / f"{name}.jfr", "--event", "wall", "--format", "collapsed").stdout
        self.assertIn(FRAME, stacks, stacks[:2000])

    def test_monitors_of_both_hosts(self):
        nodes = self.folder / "nodes"
        monitors = []
        for name in NODES:
            root = self.cluster.daemons[name].pid
            command = [SPARKPROF, "monitor", "--dir", nodes, "--root", root, "--others", "0s", "--interval", "200ms"]
            monitors.append(self.start(*command_on(name), *command))
        process, executors = self.start_without_sparkprof(5)
        driver, application = self.host_of_master(), self.application()["id"]
        self.finish(process, code=None)
        for monitor in monitors:
            monitor.terminate()
            self.finish(monitor)
        rows = json_of("show", "processes", nodes, "--where", f"application = {application}")
        found = {(row["host"], row["executor"]) for row in rows if row["type"] == "jvm_executor"}
        self.assertEqual(found, {(executor.host, executor.id) for executor in executors})
        self.assertEqual({row["host"] for row in rows if row["type"] == "jvm_driver"}, {driver})
        self.assertLessEqual({"python_worker", "yarn"}, {row["type"] for row in rows})
