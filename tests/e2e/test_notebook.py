# SPDX-License-Identifier: Apache-2.0
"""sparkprof.profile() in a program that runs Spark with the plugin, and with an event log only."""

import json

from connect_client import client_packages
from spark_jobs import Spark, conf_options, submit
from support import JOBS, REPOSITORY, SPARKPROF, TestCase, execute, report_data, slow

JAR = REPOSITORY / "lib" / "sparkprof-spark.jar"


class NotebookTest(TestCase):
    def measured(self, command, path=REPOSITORY / "python", **environment):
        environment = Spark().environment(PYTHONPATH=path, SPARKPROF_BIN=SPARKPROF, **environment)
        return json.loads(execute(*command, env=environment, cwd=self.folder).stdout.splitlines()[-1])

    def measure(self, **conf):
        return self.measured(submit("measured_block.py", conf={"spark.ui.enabled": "false"} | conf))

    def test_a_block_has_its_own_jobs_findings_and_flame_graph(self):
        place = f"file:{self.folder}/spool"
        got = self.measure(**{"spark.jars": JAR, "spark.plugins": "org.sparkprof.SparkProfPlugin", "spark.sparkprof.dir": place})
        self.assertEqual((got["jobs"], got["problem"]), (1, ""))
        self.assertTrue({"sleep", "python-bound"} & set(got["rules"]), got["rules"])
        self.assertIn("measured_block.py:", got["text"])
        # The many threads of the JVM that wait meanwhile are not what the block costs.
        self.assertEqual({thread["kind"] for thread in report_data(self.folder / "flame.html")["threads"]}, {"task"})

    @slow("Spark Connect is")
    def test_a_block_of_a_client_of_spark_connect_has_its_own_jobs_too(self):
        settings = {
            "spark.ui.enabled": "false",
            "spark.jars": JAR,
            # PySpark sets spark.plugins of the server that it starts.
            "spark.plugins.defaultList": "org.sparkprof.SparkProfPlugin",
            "spark.sparkprof.dir": f"file:{self.folder}/spool",
        }
        path, arguments = f"{REPOSITORY / 'python'}:{client_packages(Spark())}", " ".join(conf_options(settings))
        command = [Spark().python, JOBS / "measured_block.py", "local[2]"]
        got = self.measured(command, path, PYSPARK_SUBMIT_ARGS=f"{arguments} pyspark-shell")
        self.assertEqual((got["jobs"], got["problem"]), (1, ""))
        self.assertTrue(got["flame"])

    def test_an_event_log_gives_findings_and_no_flame_graph(self):
        events = self.folder / "events"
        events.mkdir()
        got = self.measure(**{"spark.eventLog.enabled": "true", "spark.eventLog.dir": events.as_uri()})
        self.assertEqual((got["jobs"], got["flame"]), (1, False))

    def test_a_session_that_records_nothing_says_so(self):
        got = self.measure()
        self.assertIn("the Spark session records nothing", got["problem"])
