# SPDX-License-Identifier: Apache-2.0
"""Jobs whose JVMs and pods are killed: their result, and their recording up to ten seconds before."""

import json
import time

from cluster_job import RECORDED
from kubernetes_cluster import NODE, PAUSE_IMAGE
from kubernetes_job import KubernetesTest
from support import wait_until


class LostPodsTest(KubernetesTest):
    def run_until_fault(self, mode, fault, **settings):
        """Runs a job and calls `fault(POD)` with the executor's pod of task 0 while it runs; the job's profile."""
        process = self.start_job(mode, 2, RECORDED + 10, **settings)
        pod = self.await_running_task()
        fault_time = time.time()
        fault(pod)
        profile = self.profile_of(process)
        self.assert_reported(profile)
        self.assert_kept_until(profile, pod.rsplit("-", 1)[1], fault_time)
        return profile

    def kill_java(self, pod):
        self.cluster.kubectl("exec", pod, "--", "pkill", "-KILL", "java")

    def delete(self, pod, *options):
        self.cluster.kubectl("delete", "pod", pod, "--wait=false", *options)

    def test_executor_killed(self):
        self.assert_job_succeeded(self.run_until_fault("client", self.kill_java))

    def test_executor_pod_deleted_with_grace(self):
        self.assert_job_succeeded(self.run_until_fault("client", self.delete))

    def test_executor_pod_deleted_without_grace(self):
        self.assert_job_succeeded(self.run_until_fault("client", lambda pod: self.delete(pod, "--grace-period=0", "--force")))

    def test_node_drained(self):
        def drain(_):
            options = ("--pod-selector=spark-role=executor", "--force", "--ignore-daemonsets", "--delete-emptydir-data")
            try:
                self.cluster.kubectl("drain", NODE, *options, "--timeout=60s")
            finally:
                self.cluster.kubectl("uncordon", NODE)

        profile = self.run_until_fault("client", drain)
        self.assert_job_succeeded(profile)
        self.assertIn("evicted", self.findings(profile)["lost-executors"]["title"])

    def test_node_lost(self):
        # The driver is elsewhere. By default, pods tolerate an unreachable node for five minutes.
        template = self.folder / "template.json"
        taints = ("node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready")
        tolerations = [{"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1} for key in taints]
        template.write_text(json.dumps({"apiVersion": "v1", "kind": "Pod", "spec": {"tolerations": tolerations}}))

        def evicted():
            pods = self.cluster.pods("spark-role=executor")
            return {pod["metadata"]["name"] for pod in pods if "DeletionByTaintManager" in json.dumps(pod["status"])}

        def lose_node(_):
            names = set(self.executors())
            self.cluster.kill_node()
            try:
                wait_until(lambda: names <= evicted(), "the executors' eviction from the unreachable node")
            finally:
                self.cluster.restart_node()

        profile = self.run_until_fault("client", lose_node, **{"spark.kubernetes.executor.podTemplateFile": template})
        self.assert_job_succeeded(profile)
        finding = self.findings(profile)["lost-executors"]
        self.assertIn("node was lost", finding["title"])
        self.assertIn("DeletionByTaintManager", finding["measured"])

    def test_executor_preempted(self):
        self.cluster.apply({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "urgent"}, "value": 1000})
        self.addCleanup(self.cluster.kubectl, "delete", "priorityclass", "urgent")
        node = json.loads(self.cluster.kubectl("get", "node", NODE, "-o", "json").stdout)
        resources = {"requests": {"cpu": node["status"]["allocatable"]["cpu"]}}
        pause = {"name": "pause", "image": PAUSE_IMAGE, "imagePullPolicy": "Never", "resources": resources}
        spec = {"priorityClassName": "urgent", "terminationGracePeriodSeconds": 0, "containers": [pause]}
        urgent = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "urgent"}, "spec": spec}

        def preempt(_):
            self.cluster.apply(urgent)
            try:
                wait_until(lambda: not self.executors("Running"), "the executors to go")
            finally:
                self.cluster.kubectl("delete", "pod", "urgent", "--grace-period=0", "--force")

        profile = self.run_until_fault("client", preempt)
        self.assert_job_succeeded(profile)
        self.assertIn("preempted", self.findings(profile)["lost-executors"]["title"])

    def test_driver_killed(self):
        profile = self.run_until_fault("cluster", lambda _: self.kill_java(self.driver()))
        self.assertFalse(profile.info()["complete"])
        finding = self.findings(profile)["lost-driver"]
        self.assertEqual(finding["title"], "The driver was lost: the process was killed (SIGKILL, exit code 137)")
        self.assertIn("no application end event; Error, exit code 137", finding["measured"])

    def test_driver_pod_deleted(self):
        self.run_until_fault("cluster", lambda _: self.delete(self.driver()))

    def test_executor_over_its_memory_limit(self):
        # The JVM has the most memory, so the kernel kills it for what its Python worker takes.
        settings = {
            "spark.executor.memory": "1g",
            "spark.executor.memoryOverhead": "400m",
            "spark.executor.extraJavaOptions": "-XX:+AlwaysPreTouch",
        }
        profile = self.run_job("client", 2, 20, 800 << 20, **settings)
        self.assert_job_succeeded(profile)
        self.assert_reported(profile)
        finding = self.findings(profile)["oom"]
        self.assertIn("termination reason: OOMKilled", finding["what"])
        self.assertRegex(finding["measured"], "its processes held .*: jvm_executor .*, python_worker ")
