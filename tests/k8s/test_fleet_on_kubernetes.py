# SPDX-License-Identifier: Apache-2.0
"""`sparkprof fleet analyze --master k8s://…` on logs of a volume that the pods share."""

import shutil

from fleet_job import FleetTest
from kubernetes_job import KubernetesTest


class FleetOnKubernetesTest(FleetTest, KubernetesTest):
    def test_logs_of_a_volume_are_read_once_though_a_pod_is_killed(self):
        def store(path):
            copy = shutil.copytree if path.is_dir() else shutil.copy
            copy(path, self.data / path.relative_to(self.folder))

        def kill():
            self.cluster.kubectl("delete", "pod", self.executors()[0], "--grace-period=0", "--force")

        self.check_that_logs_are_read_once(store, kill)

    def start_fleet(self):
        spark, command = self.submit("client")
        settings = [word for word in command if word.startswith("spark.") and "=" in word]
        environment = spark.environment(KUBECONFIG=self.cluster.kubeconfig)
        return self.start_analysis(self.data / "fleet-logs", f"k8s://{self.cluster.api}", settings, environment)
