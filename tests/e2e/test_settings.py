# SPDX-License-Identifier: Apache-2.0
"""A setting means the same to `sparkprof run`, `sparkprof doctor` and the plugin, and all of them refuse the same."""
import json
import os
import re
import subprocess
import unittest

from support import DEADLINE, JOBS, REPOSITORY, SPARK_VERSIONS, SPARKPROF, Spark, TestCase, run_profiled, sparkprof

SETTINGS_JOB = JOBS / "settings_job.py"
JAR = REPOSITORY / "lib" / "sparkprof-spark.jar"
SAMPLING = re.compile(r"sparkprof: (sampling .*?); recording to ")


class RefusedSettingsTest(TestCase):
    """Without Spark: a job that must not start."""

    def setUp(self):
        super().setUp()
        self.submit = self.folder / "spark-submit"
        self.submit.write_text(f"#!/bin/sh\ntouch {self.folder}/started\n")
        self.submit.chmod(0o755)

    def run_submit(self, *arguments, options=(), **environment):
        return subprocess.run(
            [SPARKPROF, "run", *options, "--", str(self.submit), *arguments],
            capture_output=True, text=True, cwd=self.folder, timeout=DEADLINE,
            env={**os.environ, "SPARK_HOME": str(self.folder), **environment},
        )

    def assert_refused(self, result, *parts):
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(set(os.listdir(self.folder)) & {"spark-submit", "conf", "my.conf"}))

    def test_a_value_is_refused_wherever_it_is_set(self):
        wrong = '"50" has no unit; use ns, us, ms, s, m, h or d, for instance 10ms'
        key = "spark.sparkprof.cpu.interval"
        self.assert_refused(self.run_submit("job.py", options=["--cpu-interval", "50"]), "--cpu-interval: " + wrong)
        self.assert_refused(self.run_submit("--conf", f"{key}=50", "job.py"), f"{key} (--conf): {wrong}")
        self.assert_refused(self.run_submit("job.py", SPARKPROF_CPU_INTERVAL="50"), "SPARKPROF_CPU_INTERVAL: " + wrong)
        self.assert_refused(
            self.run_submit("--conf", "spark.executorEnv.SPARKPROF_CPU_INTERVAL=50", "job.py"),
            f"spark.executorEnv.SPARKPROF_CPU_INTERVAL (--conf): {wrong}",
        )
        (self.folder / "my.conf").write_text(f"{key} 50\n")
        self.assert_refused(
            self.run_submit("--properties-file", "my.conf", "job.py"), f"{key} (my.conf): {wrong}"
        )
        (self.folder / "conf").mkdir()
        (self.folder / "conf" / "spark-defaults.conf").write_text(f"{key} 50\n")
        self.assert_refused(self.run_submit("job.py"), f"{key} ({self.folder}/conf/spark-defaults.conf): {wrong}")

    def test_what_spark_would_not_use_is_not_refused(self):
        result = self.run_submit("--conf", "spark.sparkprof.cpu.interval=5ms", "job.py", SPARKPROF_CPU_INTERVAL="50")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.folder / "started").exists())

    def test_an_unknown_key_is_refused_with_the_nearest_one(self):
        self.assert_refused(
            self.run_submit("--conf", "spark.sparkprof.cpu.intervall=5ms", "job.py"),
            "spark.sparkprof.cpu.intervall (--conf) is not a setting; did you mean spark.sparkprof.cpu.interval?",
        )

    def test_a_question_to_spark_is_not_checked(self):
        self.assertEqual(self.run_submit("--conf", "spark.sparkprof.cpu.interval=50", "--version").returncode, 0)

    def test_doctor_refuses_the_same(self):
        result = subprocess.run(
            [SPARKPROF, "doctor", "--json"], capture_output=True, text=True, timeout=DEADLINE,
            env={**os.environ, "SPARKPROF_BUCKET": "7"},
        )
        self.assertEqual(result.returncode, 1)
        settings = [check for check in json.loads(result.stdout)["checks"] if check["name"] == "settings"]
        self.assertEqual([check["status"] for check in settings], ["missing"])
        self.assertTrue(settings[0]["finding"].startswith('SPARKPROF_BUCKET: "7" has no unit'), settings)


class SparkSettingsTest(TestCase):
    def test_run_doctor_and_plugin_say_the_same_of_what_is_sampled(self):
        settings = {
            "SPARKPROF_EVENTS": " WALL,cpu,,", "SPARKPROF_CPU_INTERVAL": "20000us", "SPARKPROF_PYTHON_INTERVAL": "0.0050 S",
        }
        want = "sampling cpu every 20ms, wall every 100ms, Python every 5ms"
        for version in SPARK_VERSIONS:
            with self.subTest(spark=version):
                self.setUp()
                spark = Spark(version)
                profile = run_profiled(
                    spark, self.folder / "out", ["spark-submit", SETTINGS_JOB, "stop"], cwd=self.folder,
                    options=["--wall-interval", "0.1 S"], **settings,
                )
                self.assert_succeeded(profile)
                lines = SAMPLING.findall(profile.process.stderr)
                self.assertEqual(lines, [want, want], profile.process.stderr[-3000:])
                recorded = profile.info()["settings"]
                self.assertEqual(
                    [recorded[name] for name in ("events", "cpu.interval_ns", "python.interval_ns")],
                    ["cpu,wall", "20000000", "5000000"],
                )
                doctor = subprocess.run(
                    [SPARKPROF, "doctor"], capture_output=True, text=True, timeout=DEADLINE, env=spark.environment(**settings)
                )
                self.assertIn(want + "\n", doctor.stdout)

    def test_without_the_wrapper_a_refused_value_is_in_log_and_recording(self):
        spark = Spark(SPARK_VERSIONS[0])
        result = subprocess.run(
            ["spark-submit", "--jars", str(JAR), "--conf", "spark.plugins=org.sparkprof.SparkProfPlugin",
             "--conf", f"spark.sparkprof.dir={self.folder}/kept", "--conf", "spark.sparkprof.cpu.interval=50",
             "--conf", "spark.sparkprof.colour=red", str(SETTINGS_JOB), "stop"],
            capture_output=True, text=True, cwd=self.folder, timeout=DEADLINE, env=spark.environment(),
        )
        self.assertEqual(result.returncode, 0, result.stderr[-3000:])
        info = json.loads(sparkprof("info", "--json", self.folder / "kept").stdout)
        notices = json.dumps(info["notices"])
        for text in (
            'spark.sparkprof.cpu.interval: "50" has no unit; use ns, us, ms, s, m, h or d, for instance 10ms; using 10ms',
            "spark.sparkprof.colour is not a setting",
        ):
            self.assertIn("sparkprof: " + text, result.stderr)
            self.assertIn(json.dumps(text)[1:-1], notices)
        self.assertIn("sampling cpu every 10ms,", result.stderr)


if __name__ == "__main__":
    unittest.main()
