# SPDX-License-Identifier: Apache-2.0
"""sparkprof attach on a running Spark: who is who, all JVMs at once, a JVM that the plugin profiles."""

import contextlib
import json
import pathlib
import subprocess
import unittest

import support
from support import JOBS, SPARKPROF, Spark, free_port, report_data, slow, sparkprof, wait_until


class AttachSparkTest(support.TestCase):
    @contextlib.contextmanager
    def job(self, *command):
        """The job while it runs; it must end well afterwards."""
        running = self.folder / "running"
        log = self.folder / "job.log"
        with open(log, "wb") as stream:
            process = subprocess.Popen(
                [*map(str, command), str(JOBS / "until_stopped.py"), str(running)],
                stdout=stream,
                stderr=stream,
                stdin=subprocess.DEVNULL,
                env=self.spark.environment(),
            )
            try:
                wait_until(lambda: running.exists() or process.poll() is not None, "the job's first task")
                self.assertIsNone(process.poll(), log.read_text(errors="replace")[-3000:])
                yield
                running.unlink()
                self.assertEqual(process.wait(support.DEADLINE), 0, log.read_text(errors="replace")[-3000:])
            finally:
                process.kill()
                process.wait()

    def setUp(self):
        super().setUp()
        self.spark = Spark(support.SPARK_VERSIONS[0])

    def mine(self):
        """Rows of `ps` for the JVMs of this test's job: others may run on this machine."""
        listed = json.loads(sparkprof("attach", "--json").stdout)["processes"]
        driver = next(process for process in listed if str(self.folder) in self.command_of(process["pid"]))
        self.assertEqual(driver["role"], "driver")
        return driver, [
            process for process in listed if process["role"] == "executor" and process["application"] == driver["application"] != ""
        ]

    @staticmethod
    def command_of(pid):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace")
        return ""

    def test_ps_knows_roles_and_attach_takes_all_at_once(self):
        submit = ["spark-submit", "--master", "local-cluster[1,2,1024]", "--conf", "spark.ui.enabled=false"]
        with self.job(*submit):
            driver, executors = self.mine()
            self.assertEqual(driver["executor"], "driver")
            self.assertEqual(driver["sparkVersion"], self.spark.version)
            self.assertEqual(len(executors), 1, "the executor's application is the driver's")
            self.assertTrue(executors[0]["application"].startswith("app-"))
            self.assertEqual(executors[0]["executor"], "0")
            roles = {child["role"] for child in executors[0]["children"]}
            self.assertIn("python_daemon", roles)
            self.assertIn("python_worker", roles)

            output = self.folder / "profiles"
            done = sparkprof("attach", "--all-spark", "--duration", 4, "--format", "collapsed", "--output-dir", output)
            application = driver["application"]
            for name in (f"{application}-driver-{driver['pid']}", f"{application}-executor-0-{executors[0]['pid']}"):
                self.assertIn(f"{name}.collapsed", done.stdout)
                self.assertTrue((output / f"{name}.collapsed").read_text())
            executor = (output / f"{application}-executor-0-{executors[0]['pid']}.collapsed").read_text()
            self.assertIn("org.apache.spark", executor)

    def test_executors_of_other_hosts_are_reached_by_a_template(self):
        port = free_port()
        submit = ["spark-submit", "--master", "local-cluster[1,2,1024]", "--conf", f"spark.ui.port={port}"]
        with self.job(*submit):
            driver, _ = self.mine()
            output = self.folder / "profiles"
            done = sparkprof(
                "attach",
                "--yarn",
                driver["application"],
                "--executor",
                "0",
                "--ui",
                f"http://localhost:{port}",
                # Instead of ssh.
                "--remote",
                "env HOST={host} sh -c {command}",
                "--duration",
                "4s",
                "--output-dir",
                output,
            )
            [file] = output.iterdir()
            self.assertRegex(file.name, r"^0-.*\.jfr$")
            self.assertIn(str(file), done.stdout)
            self.assertIn("org.apache.spark", sparkprof("flame", file, "--format", "collapsed").stdout)
            self.assertEqual(list(pathlib.Path("/tmp").glob("sparkprof-attach-*")), [])

    @slow("attaching to a profiled job is")
    def test_a_jvm_that_the_plugin_profiles_shows_the_plugins_samples(self):
        submit = [SPARKPROF, "run", "--output-dir", self.folder / "report", "--no-report", "--", "spark-submit"]
        with self.job(*submit, "--master", "local[2]", "--conf", "spark.ui.enabled=false"):
            driver, _ = self.mine()
            self.assertEqual(driver["profiler"], "plugin")
            self.assertIn("agent", {child["role"] for child in driver["children"]})
            output = self.folder / "part.collapsed"
            attached = sparkprof("attach", driver["pid"], "--event", "wall", "--duration", 5, "-o", output)
            self.assertIn("sparkprof's plugin", attached.stderr)
            self.assertIn("org.apache.spark.scheduler.Task.run", output.read_text())
            # The page can be filtered by data that only the plugin has.
            page = self.folder / "part.html"
            sparkprof("attach", driver["pid"], "--duration", 5, "-o", page)
            data = report_data(page)
            self.assertGreater(data["tasks"]["taskId"]["count"], 0)
            self.assertTrue(data["stages"])
            # Its events are the plugin's.
            refused = sparkprof("attach", driver["pid"], "--event", "cache-misses", "--duration", 1, check=False)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("plugin", refused.stderr)


if __name__ == "__main__":
    unittest.main()
