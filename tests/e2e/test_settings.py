# SPDX-License-Identifier: Apache-2.0
"""A setting means the same to `sparkprof run`, `sparkprof doctor` and the plugin, and all of them refuse the same."""

import json
import re

from spark_jobs import VERSIONS_OF_LONG_TESTS, Spark, run_job, submit
from support import PLUGIN_JAR, TestCase, execute, json_of, sparkprof

SAMPLING = re.compile(r"sparkprof: (sampling .*?); recording to ")


class SparkSettingsTest(TestCase):
    def test_run_doctor_and_plugin_say_the_same_of_what_is_sampled(self):
        settings = {"SPARKPROF_EVENTS": " WALL,cpu,,", "SPARKPROF_CPU_INTERVAL": "20000us", "SPARKPROF_PYTHON_INTERVAL": "0.0050 S"}
        want = "sampling cpu every 20ms, wall every 100ms, Python every 5ms"
        for version in VERSIONS_OF_LONG_TESTS:
            with self.subTest(spark=version):
                self.setUp()
                spark = Spark(version)
                options = {"sparkprof": ["--wall-interval", "0.1 S"], "environment": settings}
                profile = run_job(self.folder, "settings_job.py", "stop", spark=spark, master=None, cwd=self.folder, **options)
                lines = SAMPLING.findall(profile.process.stderr)
                self.assertEqual(lines, [want, want], profile.process.stderr[-3000:])
                recorded = profile.info()["settings"]
                self.assertEqual(
                    [recorded[name] for name in ("events", "cpu.interval_ns", "python.interval_ns")], ["cpu,wall", "20000000", "5000000"]
                )
                doctor = sparkprof("doctor", code=None, env=spark.environment(**settings))
                self.assertIn(want + "\n", doctor.stdout)

    def test_without_the_wrapper_a_refused_value_is_in_log_and_recording(self):
        conf = {"spark.plugins": "org.sparkprof.SparkProfPlugin", "spark.sparkprof.dir": f"{self.folder}/kept"}
        conf |= {"spark.sparkprof.cpu.interval": 50, "spark.sparkprof.color": "red"}
        command = submit("settings_job.py", "stop", master=None, conf=conf, options=["--jars", PLUGIN_JAR])
        result = execute(*command, cwd=self.folder, env=Spark().environment())
        info = json_of("info", self.folder / "kept")
        notices = json.dumps(info["notices"])
        for text in (
            'spark.sparkprof.cpu.interval: "50" has no unit; use ns, us, ms, s, m, h or d, for instance 10ms; using 10ms',
            "spark.sparkprof.color is not a setting",
        ):
            self.assertIn("sparkprof: " + text, result.stderr)
            self.assertIn(json.dumps(text)[1:-1], notices)
        self.assertIn("sampling cpu every 10ms,", result.stderr)
