# SPDX-License-Identifier: Apache-2.0
"""The plugin for Airflow: a real Airflow runs a task that starts a Spark job, whose recording goes to a collector."""

import os
import re
import unittest

from collector import Collector
from spark_jobs import Spark
from support import PEERS, REPOSITORY, SLOW, SPARKPROF, TestCase, execute

PYTHON = PEERS / "airflow" / "bin" / "python"

# Runs its tasks in this process, as `airflow dags test` does, and prints the link of the task's page.
DAG = """
import sys
from airflow.sdk import DAG
from airflow.providers.standard.operators.bash import BashOperator

with DAG("nightly", schedule=None) as dag:
    BashOperator(task_id="count", bash_command=sys.argv[1])

if __name__ == "__main__":
    run = dag.test()
    print("STATE", run.state)
    from sparkprof.airflow import SparkprofLink
    [instance] = run.get_task_instances()
    print("LINK", SparkprofLink().get_link(None, ti_key=instance.key))
"""
JOB = """
from pyspark.sql import SparkSession
session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
session.range(1000).count()
session.stop()
"""


@unittest.skipUnless(SLOW and PYTHON.exists(), "in the slow set: make test-all; scripts/setup peers installs Airflow")
class AirflowTest(TestCase):
    def run_dag(self, command, **variables):
        environment = Spark().environment(
            AIRFLOW_HOME=self.folder / "airflow",
            AIRFLOW__CORE__LOAD_EXAMPLES="False",
            AIRFLOW__CORE__DAGS_FOLDER=self.folder / "dags",
            # The source tree has no entry point, unlike an installed package.
            AIRFLOW__CORE__PLUGINS_FOLDER=self.folder / "plugins",
            PYTHONPATH=REPOSITORY / "python",
            **variables,
        )
        for name in ("dags", "plugins"):
            (self.folder / name).mkdir(exist_ok=True)
        (self.folder / "plugins" / "profiles.py").write_text("from sparkprof.airflow import SparkprofPlugin\n")
        dag = self.folder / "dags" / "nightly.py"
        dag.write_text(DAG)
        execute(PYTHON.parent / "airflow", "db", "migrate", env=environment)
        ran = execute(PYTHON, dag, command, code=None, env=environment, cwd=self.folder)
        return ran.stdout + ran.stderr

    def test_the_log_of_a_task_has_the_page_and_verdict_of_its_application_and_the_last_runs(self):
        job = self.folder / "job.py"
        job.write_text(JOB)
        submit = os.path.join(os.path.dirname(SPARKPROF), "sparkprof-submit")
        with Collector(self.folder / "data") as server:
            first = self.run_dag(f"{submit} {job}", SPARKPROF_SERVER=server.url)
            self.assertIn("STATE success", first)
            second = self.run_dag(f"{submit} {job}", SPARKPROF_SERVER=server.url)
            listed = server.applications(group="nightly.count")
        self.assertEqual(len(listed), 2, first + second)
        latest = max(listed, key=lambda one: one["startTime"])
        page = re.escape(f"{server.url}/applications/{latest['id']}")
        self.assertRegex(second, page + r" finished after \d+\.\d s; the median of the last 1 run is \d+\.\d s \([+-]\d+%\)\. .+")
        self.assertRegex(second, f"LINK {page}\n")

    def test_without_a_collector_the_task_runs_as_ever(self):
        output = self.run_dag("echo spark-is-not-here", SPARKPROF_SERVER="http://127.0.0.1:9")
        self.assertIn("STATE success", output)
        self.assertIn("sparkprof: no report:", output)
