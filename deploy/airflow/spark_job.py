# SPDX-License-Identifier: Apache-2.0
"""A DAG with a profiled Spark job: its operator starts sparkprof-submit instead of spark-submit."""

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import DAG

with DAG("spark_job", schedule="@daily", catchup=False):
    SparkSubmitOperator(
        task_id="job",
        conn_id="spark_default",
        application="/jobs/job.py",
        # Installed by `pip install sparkprof` on the workers of Airflow; the path if it is not in PATH.
        spark_binary="sparkprof-submit",
        # The recordings of a job in cluster mode: a folder that all machines share, or a collector.
        conf={"spark.sparkprof.server": "http://sparkprof.monitoring:8320"},
        # Reports and recordings of client mode.
        env_vars={"SPARKPROF_RUNS_DIR": "/var/lib/airflow/sparkprof"},
    )
