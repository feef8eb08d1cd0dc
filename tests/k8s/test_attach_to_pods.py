# SPDX-License-Identifier: Apache-2.0
"""sparkprof attach to Spark's pods on a real Kubernetes node, with the real kubectl."""

import json
import os

from kubernetes_cluster import NAMESPACE
from kubernetes_job import KubernetesTest
from support import REPOSITORY, execute, sparkprof

FRAME = "PythonRunner"  # executors wait here for workers, the driver for its program
ROLE = REPOSITORY / "deploy" / "kubernetes" / "attach-role.yaml"


class AttachPodsTest(KubernetesTest):
    def setUp(self):
        super().setUp()
        spark, command = self.submit("cluster", 2, 600)
        self.start(*command, env=spark.environment())
        self.await_tasks()
        self.pods = self.executors()
        (driver,) = self.cluster.pods("spark-role=driver")
        self.application = driver["metadata"]["labels"]["spark-app-selector"]

    def environment(self, kubeconfig=None):
        return os.environ | {"KUBECONFIG": str(kubeconfig or self.cluster.kubeconfig)}

    def attach(self, *arguments, kubeconfig=None, code=0):
        options = ("--event", "wall", "--duration", "3s")
        return sparkprof("attach", *arguments, *options, code=code, cwd=self.folder, env=self.environment(kubeconfig))

    def assert_attached(self, done, pods):
        self.assertEqual(sorted(done.stdout.split()), sorted(f"sparkprof-attach/{pod}.jfr" for pod in pods), done.stderr)
        for pod in pods:
            self.assert_profile_of(pod)

    def assert_profile_of(self, pod):
        stacks = sparkprof("flame", self.folder / "sparkprof-attach" / f"{pod}.jfr", "--event", "wall", "--format", "collapsed").stdout
        self.assertIn(FRAME, stacks, stacks[:2000])

    def assert_nothing_left(self, pod):
        names = ("-name", "*sparkprof*", "!", "-name", "*.jar")
        self.assertEqual(self.cluster.kubectl("exec", pod, "--", "find", "/tmp", "-maxdepth", "1", *names).stdout, "")

    def test_pods_through_ephemeral_containers(self):
        pod, driver = self.pods[0], self.driver()
        done = self.attach("--k8s", f"{pod},{driver}")
        self.assert_attached(done, [pod, driver])
        self.assertNotIn("using exec", done.stderr)
        self.assert_nothing_left(pod)

    def test_an_application_through_exec(self):
        self.assert_attached(self.attach("--app", self.application, "--all", "--exec"), [*self.pods, self.driver()])
        for pod in self.pods:
            self.assert_nothing_left(pod)

    def test_printed_commands(self):
        printed = self.attach("--app", self.application, "--executor", "1", "--dry-run")
        execute("sh", "-euc", printed.stdout, cwd=self.folder, env=self.environment())
        (pod,) = (pod for pod in self.pods if pod.endswith("-1"))
        self.assert_profile_of(pod)

    def kubeconfig_of(self, account, rules):
        """A kubeconfig of a new service account with these rules of a Role, as kubectl reads them."""
        self.addCleanup(self.cluster.kubectl, "delete", "serviceaccount,role,rolebinding", account)
        self.cluster.kubectl("create", "serviceaccount", account)
        self.cluster.apply({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": account}, "rules": rules})
        self.cluster.kubectl("create", "rolebinding", account, f"--role={account}", f"--serviceaccount={NAMESPACE}:{account}")
        path = self.folder / account
        self.cluster.write_kubeconfig(path, self.cluster.kubectl("create", "token", account).stdout.strip())
        return path

    def test_permissions(self):
        pod = self.pods[0]
        rules = json.loads(self.cluster.kubectl("create", "--dry-run=client", "-o", "json", "-f", ROLE).stdout)["rules"]
        with self.subTest("the documented role"):
            done = self.attach("--k8s", pod, kubeconfig=self.kubeconfig_of("attacher", rules))
            self.assert_attached(done, [pod])
            self.assertNotIn("using exec", done.stderr)
        with self.subTest("no ephemeral containers"):
            narrow = [rule for rule in rules if rule["resources"] != ["pods/ephemeralcontainers"]]
            done = self.attach("--k8s", pod, kubeconfig=self.kubeconfig_of("executor", narrow))
            self.assert_attached(done, [pod])
            self.assertIn(f"{pod}: no ephemeral container; using exec", done.stderr)
        with self.subTest("only reading"):
            done = self.attach("--k8s", pod, kubeconfig=self.kubeconfig_of("reader", rules[:1]), code=1)
            self.assertEqual(done.stdout, "")
            self.assertIn("forbidden", done.stderr)
