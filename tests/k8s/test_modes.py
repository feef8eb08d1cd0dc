# SPDX-License-Identifier: Apache-2.0
"""sparkprof run with Spark on a real Kubernetes node, in both deploy modes."""

import subprocess

from hadoop_cluster import HadoopCluster
from kubernetes_cluster import ADDRESS
from kubernetes_job import KubernetesTest
from support import DEADLINE


class ModesTest(KubernetesTest):
    def test_a_job_without_sparkprof(self):
        spark, command = self.submit("cluster", 2, 1)
        done = subprocess.run(command, capture_output=True, text=True, env=spark.environment(), timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        self.assertIn("tasks: 2", self.logs_of_driver())

    def test_client_mode(self):
        for version in ("4.1.1", "3.5.7"):
            with self.subTest(version=version):
                profile = self.run_job("client", 4, 3, version=version)
                self.assert_profiled(profile, executors=2, tasks=4)
                self.assertEqual(profile.process.stdout, "tasks: 4\n")

    def test_cluster_mode_with_a_shared_volume(self):
        profile = self.run_job("cluster", 4, 3)
        self.assert_profiled(profile, executors=2, tasks=4)
        self.assertIn("tasks: 4", self.logs_of_driver())
        recordings = self.data / "recordings"
        self.assertEqual([entry.name for entry in recordings.iterdir()], [profile.info()["applications"][0]["id"]])

    def test_cluster_mode_with_hdfs(self):
        hadoop = HadoopCluster(self.folder / "hadoop", ADDRESS)
        self.addCleanup(hadoop.close)
        options = ["--dir", f"{hadoop.hdfs}/recordings"]
        profile = self.run_job("upload", 4, 3, options=options, **{"spark.kubernetes.file.upload.path": f"{hadoop.hdfs}/uploads"})
        self.assert_profiled(profile, executors=2, tasks=4)
        self.assertIn("tasks: 4", self.logs_of_driver())
