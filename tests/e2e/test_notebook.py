# SPDX-License-Identifier: Apache-2.0
"""sparkprof.profile() in a program that runs Spark with the plugin, and with an event log only."""

import json
import os
import subprocess

import support
from connect_client import client_packages
from support import JOBS, REPOSITORY, SPARK_VERSIONS, Spark, TestCase, report_data, slow

JAR = REPOSITORY / "lib" / "sparkprof-spark.jar"


class NotebookTest(TestCase):
    def measure(self, **settings):
        spark = Spark(SPARK_VERSIONS[0])
        options = [word for name, value in settings.items() for word in ("--conf", f"{name.replace('_', '.')}={value}")]
        command = ["spark-submit", "--master", "local[2]", "--conf", "spark.ui.enabled=false", *options, JOBS / "measured_block.py"]
        environment = spark.environment(PYTHONPATH=str(REPOSITORY / "python"), SPARKPROF_BIN=support.SPARKPROF)
        process = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=self.folder, timeout=support.DEADLINE)
        self.assertEqual(process.returncode, 0, process.stderr[-2000:])
        return json.loads(process.stdout.splitlines()[-1])

    def test_a_block_has_its_own_jobs_findings_and_flame_graph(self):
        got = self.measure(
            spark_jars=JAR, spark_plugins="org.sparkprof.SparkProfPlugin", spark_sparkprof_dir=f"file:{os.fspath(self.folder)}/spool"
        )
        self.assertEqual((got["jobs"], got["problem"]), (1, ""))
        self.assertTrue({"sleep", "python-bound"} & set(got["rules"]), got["rules"])
        self.assertIn("measured_block.py:", got["text"])
        # The many threads of the JVM that wait meanwhile are not what the block costs.
        self.assertEqual({thread["kind"] for thread in report_data(self.folder / "flame.html")["threads"]}, {"task"})

    @slow("Spark Connect is")
    def test_a_block_of_a_client_of_spark_connect_has_its_own_jobs_too(self):
        spark = Spark("4.1.1")
        settings = {
            "spark.ui.enabled": "false",
            "spark.jars": JAR,
            # PySpark sets spark.plugins of the server that it starts.
            "spark.plugins.defaultList": "org.sparkprof.SparkProfPlugin",
            "spark.sparkprof.dir": f"file:{os.fspath(self.folder)}/spool",
        }
        arguments = " ".join(f"--conf {key}={value}" for key, value in settings.items())
        environment = spark.environment(
            PYTHONPATH=f"{REPOSITORY / 'python'}:{client_packages(spark)}",
            PYSPARK_SUBMIT_ARGS=f"{arguments} pyspark-shell",
            SPARKPROF_BIN=support.SPARKPROF,
        )
        command = [spark.venv / "bin" / "python", JOBS / "measured_block.py", "local[2]"]
        process = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=self.folder, timeout=support.DEADLINE)
        self.assertEqual(process.returncode, 0, process.stderr[-2000:])
        got = json.loads(process.stdout.splitlines()[-1])
        self.assertEqual((got["jobs"], got["problem"]), (1, ""))
        self.assertTrue(got["flame"])

    def test_an_event_log_gives_findings_and_no_flame_graph(self):
        events = self.folder / "events"
        events.mkdir()
        got = self.measure(spark_eventLog_enabled="true", spark_eventLog_dir=events.as_uri())
        self.assertEqual((got["jobs"], got["flame"]), (1, False))

    def test_a_session_that_records_nothing_says_so(self):
        got = self.measure()
        self.assertIn("the Spark session records nothing", got["problem"])
