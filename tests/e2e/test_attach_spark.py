# SPDX-License-Identifier: Apache-2.0
"""sparkprof attach on a running Spark: who is who, all JVMs at once, a JVM that the plugin profiles."""

import contextlib
import pathlib

from proc import command_of
from spark_jobs import SPARK_VERSIONS, Spark, profiled, submit
from support import TestCase, free_port, json_of, report_data, slow, sparkprof, wait_until


class AttachSparkTest(TestCase):
    @contextlib.contextmanager
    def job(self, master, wrapper=lambda command: command, **conf):
        """The job while it runs; it must end well afterwards."""
        running = self.folder / "running"
        command = submit("until_stopped.py", running, master=master, conf={name.replace("_", "."): value for name, value in conf.items()})
        process = self.start(*wrapper(command), env=Spark().environment())
        wait_until(lambda: running.exists() or process.poll() is not None, "the job's first task")
        self.assertIsNone(process.poll(), self.printed()[-3000:])
        yield
        running.unlink()
        self.finish(process)

    def mine(self):
        """Rows of `ps` for the JVMs of this test's job: others may run on this machine."""
        listed = json_of("attach")["processes"]
        driver = next(process for process in listed if str(self.folder) in command_of(process["pid"]))
        self.assertEqual(driver["role"], "driver")
        executors = [process for process in listed if process["role"] == "executor"]
        return driver, [process for process in executors if process["application"] == driver["application"] != ""]

    def test_ps_knows_roles_and_attach_takes_all_at_once(self):
        with self.job("local-cluster[1,2,1024]", spark_ui_enabled="false"):
            driver, executors = self.mine()
            self.assertEqual(driver["executor"], "driver")
            self.assertEqual(driver["sparkVersion"], SPARK_VERSIONS[0])
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
        with self.job("local-cluster[1,2,1024]", spark_ui_port=port):
            driver, _ = self.mine()
            output = self.folder / "profiles"
            which = ("--yarn", driver["application"], "--executor", "0", "--ui", f"http://localhost:{port}")
            instead_of_ssh = "env HOST={host} sh -c {command}"
            done = sparkprof("attach", *which, "--remote", instead_of_ssh, "--duration", "4s", "--output-dir", output)
            [file] = output.iterdir()
            self.assertRegex(file.name, r"^0-.*\.jfr$")
            self.assertIn(str(file), done.stdout)
            self.assertIn("org.apache.spark", sparkprof("flame", file, "--format", "collapsed").stdout)
            self.assertEqual(list(pathlib.Path("/tmp").glob("sparkprof-attach-*")), [])

    @slow("attaching to a profiled job is")
    def test_a_jvm_that_the_plugin_profiles_shows_the_plugins_samples(self):
        with self.job("local[2]", lambda job: profiled(self.folder / "report", job, ["--no-report"]), spark_ui_enabled="false"):
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
            refused = sparkprof("attach", driver["pid"], "--event", "cache-misses", "--duration", 1, code=2)
            self.assertIn("plugin", refused.stderr)
