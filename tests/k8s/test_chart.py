# SPDX-License-Identifier: Apache-2.0
"""The chart deploy/helm/sparkprof, installed by helm: a job sends its recording to the collector, the monitor sees its pods."""

import base64
import json
import os
import urllib.request

from images import SPARKPROF_IMAGE, import_sparkprof_image
from kubernetes_cluster import NODE
from kubernetes_job import KubernetesTest
from support import DEADLINE, execute, wait_until
from test_deploy import CHART, helm

RELEASE = "profiles"
COLLECTOR = "app.kubernetes.io/component=collector"
MONITOR = "app.kubernetes.io/component=monitor"


class ChartTest(KubernetesTest):
    def setUp(self):
        super().setUp()
        import_sparkprof_image(self.cluster)
        disk = self.folder / "disk"
        disk.mkdir()
        disk.chmod(0o777)
        spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "manual"}
        spec |= {"hostPath": {"path": str(disk)}}
        self.cluster.apply({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"}, "spec": spec})

    def helm(self, *arguments):
        environment = {"KUBECONFIG": str(self.cluster.kubeconfig), "HELM_CACHE_HOME": str(self.folder)}
        execute(helm(), *arguments, env=os.environ | environment)

    def address(self, labels):
        """The address of the pod with these labels, when it is ready."""
        for pod in self.cluster.pods(labels, "Running"):
            if all(status["ready"] for status in pod["status"].get("containerStatuses", [{"ready": False}])):
                return pod["status"]["podIP"]
        return None

    def token(self, role):
        secret = json.loads(self.cluster.kubectl("get", "secret", f"{RELEASE}-sparkprof-tokens", "-o", "json").stdout)
        return base64.b64decode(secret["data"][role]).decode()

    def get(self, path):
        request = urllib.request.Request(f"{self.url}/api/sparkprof/v1{path}", headers={"Authorization": f"Bearer {self.token('read')}"})
        with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
            return json.load(answer)

    def jobs(self):
        return [entry for entry in self.get("/applications")["applications"] if entry["name"] == "job"]

    def processes_of(self, application):
        """(type, executor) of the application's processes on the node."""
        rows = self.get(f"/nodes/{NODE}/processes")["processes"]
        return {(row["type"], row["executor"]) for row in rows if row["application"] == application}

    def test_collector_and_monitor(self):
        repository, tag = SPARKPROF_IMAGE.rsplit(":", 1)
        values = [f"image.repository={repository}", f"image.tag={tag}", "image.pullPolicy=Never"]
        values += ["collector.persistence.storageClass=manual", "collector.persistence.size=1Gi"]
        options = [word for value in values for word in ("--set-string", value)]
        self.addCleanup(self.helm, "uninstall", RELEASE)
        self.helm("install", RELEASE, CHART, *options)
        self.url = f"http://{wait_until(lambda: self.address(COLLECTOR), 'the collector')}:8320"
        wait_until(lambda: self.address(MONITOR), "the monitor")
        token = f"{RELEASE}-sparkprof-tokens:ingest"
        settings = {"spark.kubernetes.driver.secretKeyRef.SPARKPROF_SERVER_TOKEN": token}
        profile = self.run_job("cluster", 2, 10, code=0, options=["--server", self.url], **settings)
        self.assertIn(f"sparkprof: server: {self.url}/", profile.process.stderr)
        wait_until(lambda: [job["status"] for job in self.jobs()] == ["finished"], "the end of the job in the collector's list")
        (job,) = self.jobs()
        self.assertEqual((job["totals"], job["tasks"]), ("complete", 2))
        application = job["id"]
        expected = {("jvm_driver", "driver"), ("jvm_executor", "1"), ("jvm_executor", "2"), ("python_worker", "1"), ("python_worker", "2")}
        wait_until(lambda: expected <= self.processes_of(application), "the monitor's recording of the pods")
