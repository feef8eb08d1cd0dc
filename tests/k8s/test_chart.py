# SPDX-License-Identifier: Apache-2.0
"""The chart deploy/helm/sparkprof, installed by helm: a job sends its recording to the collector, the monitor sees its pods."""

import base64
import json
import os
import urllib.request

from cluster_job import JOB
from images import SPARKPROF_IMAGE, import_sparkprof_image
from kubernetes_cluster import NAMESPACE, NODE
from kubernetes_job import KubernetesTest
from support import DEADLINE, execute, wait_until
from test_deploy import CHART, helm

RELEASE = "profiles"
COLLECTOR = "app.kubernetes.io/component=collector"
MONITOR = "app.kubernetes.io/component=monitor"
INJECTOR = "app.kubernetes.io/component=injector"
INSTALLED = f"{RELEASE}-sparkprof"


class ChartTest(KubernetesTest):
    def setUp(self):
        super().setUp()
        import_sparkprof_image(self.cluster)
        disk = self.folder / "disk"
        disk.mkdir()
        disk.chmod(0o777)
        spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "manual"}
        spec |= {"hostPath": {"path": str(disk)}}
        self.addCleanup(self.cluster.kubectl, "delete", "persistentvolume", "disk")
        self.addCleanup(self.cluster.kubectl, "delete", "persistentvolumeclaim", INSTALLED)
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

    def install(self, *options):
        repository, tag = SPARKPROF_IMAGE.rsplit(":", 1)
        values = [f"image.repository={repository}", f"image.tag={tag}", "image.pullPolicy=Never"]
        values += ["collector.persistence.storageClass=manual", "collector.persistence.size=1Gi"]
        strings = [word for value in values for word in ("--set-string", value)]
        self.addCleanup(self.helm, "uninstall", RELEASE)
        self.helm("install", RELEASE, CHART, *strings, *options)
        self.url = f"http://{wait_until(lambda: self.address(COLLECTOR), 'the collector')}:8320"

    def run_plain(self, version="4.1.1", **settings):
        """Runs a job in cluster mode without sparkprof on its command line; its driver's pod."""
        self.delete_pods()
        spark, command = self.submit("upload", 2, 3, version=version, job=f"local://{JOB}", **settings)
        execute(*command, env=spark.environment())
        [driver] = self.cluster.pods("spark-role=driver")
        self.assertEqual(driver["status"]["phase"], "Succeeded")
        self.assertIn("tasks: 2", self.logs_of_driver())
        return driver

    def certificate(self):
        return json.loads(self.cluster.kubectl("get", "secret", f"{INSTALLED}-injector", "-o", "json").stdout)["data"]["tls.crt"]

    def scale(self, kind, count, labels):
        self.cluster.kubectl("scale", kind, f"--replicas={count}")
        wait_until(lambda: bool(self.address(labels)) == bool(count), f"{count} pods of {kind}")

    def test_the_injector_profiles_jobs_that_nobody_changed(self):
        self.cluster.kubectl("label", "namespace", NAMESPACE, "sparkprof.io/inject=enabled")
        self.addCleanup(self.cluster.kubectl, "label", "namespace", NAMESPACE, "sparkprof.io/inject-")
        self.install("--set", "injector.enabled=true,injector.replicas=1,monitor.enabled=false")
        wait_until(lambda: self.address(INJECTOR), "the webhook")
        for number, version in enumerate(("4.1.1", "3.5.7"), 1):
            with self.subTest(version=version):
                driver = self.run_plain(version)
                self.assertEqual(driver["metadata"]["annotations"]["sparkprof.io/injection"], "injected")
                wait_until(
                    lambda count=number: [job["status"] for job in self.jobs()] == ["finished"] * count, "the end of the job in the list"
                )
                self.assertEqual({(job["totals"], job["tasks"]) for job in self.jobs()}, {("complete", 2)})
        chosen = {"spark.kubernetes.driver.annotation.sparkprof.io/profile": "false"}
        self.assertNotIn("initContainers", self.run_plain(**chosen)["spec"])
        before = self.certificate()
        self.helm("upgrade", RELEASE, CHART, "--reuse-values")
        self.assertEqual(self.certificate(), before)
        self.scale(f"statefulset/{INSTALLED}", 0, COLLECTOR)
        self.assertIn("initContainers", self.run_plain()["spec"])
        self.scale(f"deployment/{INSTALLED}-injector", 0, INJECTOR)
        self.assertNotIn("initContainers", self.run_plain()["spec"])

    def test_collector_and_monitor(self):
        self.install()
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
