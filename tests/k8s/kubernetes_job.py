# SPDX-License-Identifier: Apache-2.0
"""Tests with jobs on the Kubernetes cluster: submitting them, profiled or not."""

import cluster_of_tests
from cluster_job import JOB, ClusterTest
from images import MODES, submit_options
from support import Spark, wait_until


class KubernetesTest(ClusterTest):
    def setUp(self):
        super().setUp()
        self.cluster = cluster_of_tests.get()
        self.addCleanup(self.delete_pods)

    def delete_pods(self):
        self.cluster.kubectl("delete", "pods,services,configmaps", "-l", "spark-app-selector", "--grace-period=0", "--force", check=False)
        wait_until(lambda: not self.cluster.pods("spark-app-selector"), "the pods to end")

    def submit(self, mode, *arguments, version="4.1.1", job=JOB, **settings):
        """The command of a job with these arguments behind its folder."""
        spark = Spark(version)
        options = [*submit_options(self.cluster, spark, self.data, **settings), *MODES[mode]]
        job = f"local://{job}" if mode == "cluster" else job
        return spark, [str(spark.home / "bin" / "spark-submit"), *options, str(job), str(self.data), *map(str, arguments)]

    def start(self, mode, *arguments, options=(), **settings):
        """Starts a profiled job; see finish()."""
        spark, command = self.submit(mode, *arguments, **settings)
        options = options or (["--dir", str(self.data / "recordings")] if mode == "cluster" else [])
        # For kubectl; spark-submit has the same in its options.
        environment = {**spark.environment(), "KUBECONFIG": str(self.cluster.kubeconfig)}
        return self.start_command(command, environment, options)

    def run_job(self, *arguments, **settings):
        return self.finish(self.start(*arguments, **settings))

    def logs_of_driver(self):
        (driver,) = self.cluster.pods("spark-role=driver")
        return self.cluster.kubectl("logs", driver["metadata"]["name"]).stdout
