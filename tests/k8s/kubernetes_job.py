# SPDX-License-Identifier: Apache-2.0
"""Tests with jobs on the Kubernetes cluster: submitting them, profiled or not."""

import cluster_of_tests
from cluster_job import JOB, ClusterTest
from images import MODES, submit_options
from spark_jobs import Spark
from spark_jobs import submit as submit_command
from support import wait_until


class KubernetesTest(ClusterTest):
    def setUp(self):
        super().setUp()
        self.cluster = cluster_of_tests.get()
        self.addCleanup(self.delete_pods)

    def delete_pods(self):
        self.cluster.kubectl("delete", "pods,services,configmaps", "-l", "spark-app-selector", "--grace-period=0", "--force", code=None)
        wait_until(lambda: not self.cluster.pods("spark-app-selector"), "the pods to end")

    def submit(self, mode, *arguments, version="4.1.1", job=JOB, **settings):
        """The command of a job with these arguments behind its folder."""
        spark = Spark(version)
        options = [*submit_options(self.cluster, spark, self.data, **settings), *MODES[mode]]
        job = f"local://{job}" if mode == "cluster" else job
        return spark, submit_command(job, self.data, *arguments, master=f"k8s://{self.cluster.api}", options=options)

    def start_job(self, mode, *arguments, options=(), **settings):
        """Starts a profiled job; see profile_of()."""
        spark, command = self.submit(mode, *arguments, **settings)
        options = options or (["--dir", self.data / "recordings"] if mode == "cluster" else [])
        # For kubectl; spark-submit has the same in its options.
        return self.start_profiled(command, spark.environment(KUBECONFIG=self.cluster.kubeconfig), options)

    def driver(self):
        """Its pod."""
        (driver,) = self.cluster.pods("spark-role=driver")
        return driver["metadata"]["name"]

    def executors(self, phase=None):
        """Their pods."""
        return [pod["metadata"]["name"] for pod in self.cluster.pods("spark-role=executor", phase)]

    def logs_of_driver(self):
        return self.cluster.kubectl("logs", self.driver()).stdout
