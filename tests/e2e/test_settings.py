# SPDX-License-Identifier: Apache-2.0
"""A setting means the same to `sparkprof run`, `sparkprof doctor` and the plugin, and all of them refuse the same."""

import json
import re
import subprocess
import unittest

from support import DEADLINE, JOBS, REPOSITORY, SPARK_VERSIONS, SPARKPROF, VERSIONS_OF_LONG_TESTS, Spark, TestCase, run_profiled, sparkprof

SETTINGS_JOB = JOBS / "settings_job.py"
JAR = REPOSITORY / "lib" / "sparkprof-spark.jar"
SAMPLING = re.compile(r"sparkprof: (sampling .*?); recording to ")


class SparkSettingsTest(TestCase):
    def test_run_doctor_and_plugin_say_the_same_of_what_is_sampled(self):
        settings = {"SPARKPROF_EVENTS": " WALL,cpu,,", "SPARKPROF_CPU_INTERVAL": "20000us", "SPARKPROF_PYTHON_INTERVAL": "0.0050 S"}
        want = "sampling cpu every 20ms, wall every 100ms, Python every 5ms"
        for version in VERSIONS_OF_LONG_TESTS:
            with self.subTest(spark=version):
                self.setUp()
                spark = Spark(version)
                profile = run_profiled(
                    spark,
                    self.folder / "out",
                    ["spark-submit", SETTINGS_JOB, "stop"],
                    cwd=self.folder,
                    options=["--wall-interval", "0.1 S"],
                    **settings,
                )
                self.assert_succeeded(profile)
                lines = SAMPLING.findall(profile.process.stderr)
                self.assertEqual(lines, [want, want], profile.process.stderr[-3000:])
                recorded = profile.info()["settings"]
                self.assertEqual(
                    [recorded[name] for name in ("events", "cpu.interval_ns", "python.interval_ns")], ["cpu,wall", "20000000", "5000000"]
                )
                doctor = subprocess.run(
                    [SPARKPROF, "doctor"], capture_output=True, text=True, timeout=DEADLINE, env=spark.environment(**settings)
                )
                self.assertIn(want + "\n", doctor.stdout)

    def test_without_the_wrapper_a_refused_value_is_in_log_and_recording(self):
        spark = Spark(SPARK_VERSIONS[0])
        result = subprocess.run(
            [
                "spark-submit",
                "--jars",
                str(JAR),
                "--conf",
                "spark.plugins=org.sparkprof.SparkProfPlugin",
                "--conf",
                f"spark.sparkprof.dir={self.folder}/kept",
                "--conf",
                "spark.sparkprof.cpu.interval=50",
                "--conf",
                "spark.sparkprof.color=red",
                str(SETTINGS_JOB),
                "stop",
            ],
            capture_output=True,
            text=True,
            cwd=self.folder,
            timeout=DEADLINE,
            env=spark.environment(),
        )
        self.assertEqual(result.returncode, 0, result.stderr[-3000:])
        info = json.loads(sparkprof("info", "--json", self.folder / "kept").stdout)
        notices = json.dumps(info["notices"])
        for text in (
            'spark.sparkprof.cpu.interval: "50" has no unit; use ns, us, ms, s, m, h or d, for instance 10ms; using 10ms',
            "spark.sparkprof.color is not a setting",
        ):
            self.assertIn("sparkprof: " + text, result.stderr)
            self.assertIn(json.dumps(text)[1:-1], notices)
        self.assertIn("sampling cpu every 10ms,", result.stderr)


if __name__ == "__main__":
    unittest.main()
