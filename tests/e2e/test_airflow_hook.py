# SPDX-License-Identifier: Apache-2.0
"""sparkprof-submit as the spark_binary of Airflow's real SparkSubmitHook, with local and standalone masters."""

import json
import os
import pathlib
import subprocess
import unittest

import support
from support import CACHE, DEADLINE, SLOW, Cluster, Spark, TestCase, free_port, sparkprof

PYTHON = CACHE / "peers" / "airflow" / "bin" / "python"
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
    def submit(self, connection, *arguments, **variables):
        script = self.folder / "hook.py"
        script.write_text(HOOK)
        binary = os.path.join(os.path.dirname(support.SPARKPROF), "sparkprof-submit")
        environment = Spark("4.1.1").environment(
            AIRFLOW_HOME=str(self.folder / "airflow"),
            AIRFLOW_CONN_SPARK_DEFAULT=json.dumps({"conn_type": "spark"} | connection),
            **variables,
        )
        return subprocess.run(
            [PYTHON, script, binary, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            cwd=self.folder,
            check=False,
        )

    def test_a_job_in_client_mode_has_its_output_in_the_log_of_the_task_and_a_recording(self):
        job = self.folder / "job.py"
        job.write_text(JOB)
        ran = self.submit({"host": "local[2]"}, str(job), SPARKPROF_RUNS_DIR=str(self.folder / "profile"))
        output = ran.stdout + ran.stderr
        self.assertEqual(ran.returncode, 0, output[-3000:])
        self.assertIn("COUNT 1000", output)
        [recording] = pathlib.Path(self.folder / "profile").rglob("*.sprof")
        info = json.loads(sparkprof("info", recording, "--json").stdout)
        self.assertEqual(info["applications"][0]["name"], "nightly")

    def test_a_job_that_fails_fails_the_task(self):
        job = self.folder / "job.py"
        job.write_text("raise SystemExit(3)\n")
        ran = self.submit({"host": "local[2]"}, str(job), SPARKPROF_RUNS_DIR=str(self.folder / "profile"))
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("Error code is: 3", ran.stdout + ran.stderr)

    def test_in_cluster_mode_the_hook_follows_the_driver_to_its_end(self):
        spark = Spark("4.1.1")
        jar = spark.compile_job("KnownLoad", self.folder)
        port = free_port()
        cluster = Cluster(spark, self.folder, cores=2, rest_port=port)
        self.addCleanup(cluster.close)
        connection = {"host": "spark://localhost", "port": port, "extra": json.dumps({"deploy-mode": "cluster", "rest-port": port})}
        folder = self.folder / "profiles"
        ran = self.submit(
            connection, jar, "KnownLoad", "alloc", "1", "2", SPARKPROF_DIR=str(folder), SPARKPROF_RUNS_DIR=str(self.folder / "profile")
        )
        output = ran.stdout + ran.stderr
        self.assertEqual(ran.returncode, 0, output[-3000:])
        self.assertIn("STATE FINISHED", output, output[-3000:])
        [recording] = folder.glob("app-*")
        info = json.loads(sparkprof("info", recording, "--json").stdout)
        self.assertEqual(info["counts"]["tasks"], 2)


if __name__ == "__main__":
    unittest.main()
