# SPDX-License-Identifier: Apache-2.0
"""`sparkprof fleet analyze --master k8s://…` on logs of a volume that the pods share."""

from fleet_job import FleetTest
from kubernetes_job import KubernetesTest
from small_logs import fleet_log, write_fleet_logs


class FleetOnKubernetesTest(FleetTest, KubernetesTest):
    def test_logs_of_a_volume_are_read_once_though_a_pod_is_killed(self):
        count = 800
        logs = self.data / "fleet-logs"
        logs.mkdir()
        write_fleet_logs(logs, count, tasks=400)
        process = self.start_fleet(logs)
        self.await_task(process)
        self.cluster.kubectl("delete", "pod", self.executors()[0], "--grace-period=0", "--force")
        self.assertEqual(self.counts(process), f"{count} applications, 0 failed, 0 unchanged")
        # The next run reads only the new log.
        (logs / f"app-{count:05}").write_text(fleet_log(count, tasks=1))
        self.assertEqual(self.counts(self.start_fleet(logs)), f"1 applications, 0 failed, {count} unchanged")

    def start_fleet(self, logs):
        spark, command = self.submit("client")
        settings = [word for word in command if word.startswith("spark.") and "=" in word]
        environment = spark.environment(KUBECONFIG=self.cluster.kubeconfig)
        return self.start_analysis(logs, f"k8s://{self.cluster.api}", settings, environment)
