# SPDX-License-Identifier: Apache-2.0
"""sparkprof run with Spark on a real Kubernetes node, in both deploy modes."""

import shlex

from cluster_job import DYNAMIC_JOB
from hadoop_cluster import HadoopCluster
from kubernetes_cluster import ADDRESS
from kubernetes_job import KubernetesTest
from support import SHOWN, execute, write_file


class ModesTest(KubernetesTest):
    def test_a_job_without_sparkprof(self):
        spark, command = self.submit("cluster", 2, 1)
        execute(*command, env=spark.environment())
        self.assertIn("tasks: 2", self.logs_of_driver())

    def test_client_mode(self):
        for version in ("4.1.1", "3.5.7"):
            with self.subTest(version=version):
                profile = self.run_job("client", 4, 3, version=version)
                self.assert_profiled(profile, executors=2, tasks=4)
                self.assertEqual(profile.process.stdout, "tasks: 4\n")

    def test_cluster_mode_of_other_versions(self):
        for version in ("4.3.0", "3.5.7"):
            with self.subTest(version=version):
                profile = self.run_job("cluster", 4, 3, version=version)
                self.assert_profiled(profile, executors=2, tasks=4)
                self.delete_pods()

    def test_executors_that_come_and_go(self):
        settings = {
            "spark.dynamicAllocation.enabled": "true",
            "spark.dynamicAllocation.shuffleTracking.enabled": "true",
            "spark.dynamicAllocation.shuffleTracking.timeout": "2s",
            "spark.dynamicAllocation.executorIdleTimeout": "2s",
            "spark.dynamicAllocation.maxExecutors": "2",
            "spark.executor.instances": "1",
        }
        profile = self.run_job("client", code=0, job=DYNAMIC_JOB, **settings)
        self.assertEqual(profile.process.stdout, "groups: 10, 10\n")
        self.assertTrue(profile.info()["complete"])
        pods = {path.name.removeprefix("ran-") for path in self.data.glob("ran-*")}
        self.assertGreaterEqual(len(pods), 2)
        for pod in pods:
            self.assert_has_function(profile, "--executor", pod.rsplit("-", 1)[1])
        self.assertNotIn("lost-executors", self.findings(profile))

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

    def test_a_service_account_that_may_not_create_pods(self):
        self.cluster.kubectl("create", "serviceaccount", "narrow")
        self.addCleanup(self.cluster.kubectl, "delete", "serviceaccount", "narrow")
        settings = {"spark.kubernetes.authenticate.driver.serviceAccountName": "narrow"}
        spark, command = self.submit("cluster", 2, 1, **settings)
        # Submissions of the same job have ended with different codes, so that of the same run counts.
        code = self.folder / "code"
        script = f'#!/bin/sh\n{shlex.quote(command[0])} "$@"\ncode=$?\necho $code >{shlex.quote(str(code))}\nexit $code\n'
        submit = write_file(self.folder / "spark-submit", script, 0o755)
        options = ["--dir", self.data / "recordings"]
        profile = self.profile_of(self.start_profiled([submit, *command[1:]], spark.environment(), options))
        self.assertEqual(profile.process.returncode, int(code.read_text()), profile.process.stderr[-SHOWN:])
        self.assertEqual(profile.process.stdout, "")
        self.assertIn("forbidden", self.logs_of_driver())
