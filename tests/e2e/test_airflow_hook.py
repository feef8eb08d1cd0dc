# SPDX-License-Identifier: Apache-2.0
"""sparkprof-submit as the spark_binary of Airflow's real SparkSubmitHook, with local and standalone masters."""

import json
import os
import unittest

from spark_jobs import Cluster, Spark
from support import PEERS, SLOW, SPARKPROF, TestCase, execute, free_port, json_of

PYTHON = PEERS / "airflow" / "bin" / "python"
HOOK = """
import logging, sys
from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook
logging.basicConfig(level=logging.INFO)
conf = {"spark.ui.enabled": "false", "spark.master.rest.enabled": "true"}
hook = SparkSubmitHook(conf=conf, executor_memory="512m", driver_memory="512m", name="nightly", spark_binary=sys.argv[1],
                       java_class=sys.argv[3] if len(sys.argv) > 3 else None, application_args=sys.argv[4:], status_poll_interval=1)
hook.submit(sys.argv[2])
if hook._should_track_driver_status:
    hook._start_driver_status_tracking()  # as the operator does
print("STATE", hook._driver_status or "ended")
"""
JOB = """
from pyspark.sql import SparkSession
session = SparkSession.builder.getOrCreate()
print("COUNT", session.range(1000).count())
session.stop()
"""


@unittest.skipUnless(SLOW and PYTHON.exists(), "in the slow set: make test-all; scripts/setup peers installs Airflow")
class AirflowHookTest(TestCase):
    def submit(self, connection, *arguments, is_success=True, **variables):
        """What Airflow prints."""
        script = self.folder / "hook.py"
        script.write_text(HOOK)
        binary = os.path.join(os.path.dirname(SPARKPROF), "sparkprof-submit")
        environment = Spark().environment(
            AIRFLOW_HOME=self.folder / "airflow",
            AIRFLOW_CONN_SPARK_DEFAULT=json.dumps({"conn_type": "spark"} | connection),
            SPARKPROF_RUNS_DIR=self.folder / "profile",
            **variables,
        )
        ran = execute(PYTHON, script, binary, *arguments, code=None, env=environment, cwd=self.folder)
        self.assertEqual(ran.returncode == 0, is_success, (ran.stdout + ran.stderr)[-3000:])
        return ran.stdout + ran.stderr

    def test_a_job_in_client_mode_has_its_output_in_the_log_of_the_task_and_a_recording(self):
        job = self.folder / "job.py"
        job.write_text(JOB)
        self.assertIn("COUNT 1000", self.submit({"host": "local[2]"}, job))
        [recording] = (self.folder / "profile").rglob("*.sprof")
        self.assertEqual(json_of("info", recording)["applications"][0]["name"], "nightly")

    def test_a_job_that_fails_fails_the_task(self):
        job = self.folder / "job.py"
        job.write_text("raise SystemExit(3)\n")
        self.assertIn("Error code is: 3", self.submit({"host": "local[2]"}, job, is_success=False))

    def test_in_cluster_mode_the_hook_follows_the_driver_to_its_end(self):
        jar = Spark().compile_job("KnownLoad", self.folder)
        port = free_port()
        Cluster(self, cores=2, rest_port=port)
        connection = {"host": "spark://localhost", "port": port, "extra": json.dumps({"deploy-mode": "cluster", "rest-port": port})}
        folder = self.folder / "profiles"
        self.assertIn("STATE FINISHED", self.submit(connection, jar, "KnownLoad", "alloc", "1", "2", SPARKPROF_DIR=folder))
        [recording] = folder.glob("app-*")
        self.assertEqual(json_of("info", recording)["counts"]["tasks"], 2)
