# SPDX-License-Identifier: Apache-2.0
"""sparkprof attach and monitor on two hosts of YARN, with a job that runs without sparkprof."""

import json
import os
import subprocess

from cluster_of_tests import NODES
from network import command_on
from support import DEADLINE, SPARKPROF, sparkprof, wait_until
from yarn_job import Executor, YarnTest

REMOTE = "ip netns exec {host} sh -c {command}"
FRAME = "PythonRunner"  # where executors wait for their workers, and the driver for its program


class AttachToHostsTest(YarnTest):
    def start_job(self, seconds):
        """Its executors."""
        process = self.start_program(self.submit("cluster", 2, seconds), self.environment())
        wait_until(lambda: all((self.data / f"started-{task}-0").exists() for task in range(2)), "the tasks")
        return process, [Executor((self.data / f"started-{task}-0").read_text()) for task in range(2)]

    def attach(self, *arguments):
        return subprocess.run(
            [SPARKPROF, "attach", "--remote", REMOTE, "--duration", "3s", "--event", "wall", *arguments],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=os.environ | {"HADOOP_CONF_DIR": str(self.cluster.conf)},
            timeout=DEADLINE,
            check=False,
        )

    def test_executors_of_an_application(self):
        _, executors = self.start_job(600)
        driver = self.host_of_master()
        application = self.application()["id"]
        with self.subTest("all"):
            done = self.attach("--yarn", application, "--all")
            self.assertEqual(done.returncode, 0, done.stderr)
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
            subprocess.run(["sh", "-euc", printed.stdout], cwd=self.folder, check=True, timeout=DEADLINE)
            (executor,) = (one for one in executors if one.id == "1")
            self.assert_profile_of(f"1-{executor.host}", "printed")

    def assert_profile_of(self, name, folder="sparkprof-attach"):
        stacks = sparkprof("flame", self.folder / folder / f"{name}.jfr", "--event", "wall", "--format", "collapsed").stdout
        self.assertIn(FRAME, stacks, stacks[:2000])

    def test_monitors_of_both_hosts(self):
        nodes = self.folder / "nodes"
        monitors = []
        for name in NODES:
            root = str(self.cluster.daemons[name].pid)
            command = [SPARKPROF, "monitor", "--dir", str(nodes), "--root", root, "--others", "0s", "--interval", "200ms"]
            with open(self.folder / f"{name}.log", "wb") as log:
                monitors.append(subprocess.Popen([*command_on(name), *command], stdin=subprocess.DEVNULL, stderr=log))
            self.addCleanup(monitors[-1].wait)
            self.addCleanup(monitors[-1].kill)
        process, executors = self.start_job(5)
        driver, application = self.host_of_master(), self.application()["id"]
        self.finish(process)
        for monitor in monitors:
            monitor.terminate()
            self.assertEqual(monitor.wait(timeout=DEADLINE), 0)
        own = f"application = {application}"
        rows = json.loads(sparkprof("show", "processes", nodes, "--json", "--where", own).stdout)
        found = {(row["host"], row["executor"]) for row in rows if row["type"] == "jvm_executor"}
        self.assertEqual(found, {(executor.host, executor.id) for executor in executors})
        self.assertEqual({row["host"] for row in rows if row["type"] == "jvm_driver"}, {driver})
        self.assertLessEqual({"python_worker", "yarn"}, {row["type"] for row in rows})
