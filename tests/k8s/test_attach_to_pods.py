# SPDX-License-Identifier: Apache-2.0
"""sparkprof attach to Spark's pods on a real Kubernetes node, with the real kubectl."""

import json
import os
import subprocess

from kubernetes_cluster import NAMESPACE
from kubernetes_job import KubernetesTest
from support import DEADLINE, REPOSITORY, SPARKPROF, sparkprof, wait_until

FRAME = "PythonRunner"  # where executors wait for their workers, and the driver for its program
ROLE = REPOSITORY / "deploy" / "kubernetes" / "attach-role.yaml"


class AttachPodsTest(KubernetesTest):
    def setUp(self):
        super().setUp()
        spark, command = self.submit("cluster", 2, 600)
        with open(self.folder / "log", "wb") as log:
            self.job = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=spark.environment())
        self.addCleanup(self.job.wait)
        self.addCleanup(self.job.kill)
        wait_until(lambda: all((self.data / f"started-{task}-0").exists() for task in range(2)), "the tasks")
        self.executors = [pod["metadata"]["name"] for pod in self.cluster.pods("spark-role=executor")]
        (driver,) = self.cluster.pods("spark-role=driver")
        self.driver = driver["metadata"]["name"]
        self.application = driver["metadata"]["labels"]["spark-app-selector"]

    def attach(self, *arguments, kubeconfig=None):
        return subprocess.run(
            [SPARKPROF, "attach", *arguments, "--duration", "3s"],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={**os.environ, "KUBECONFIG": str(kubeconfig or self.cluster.kubeconfig)},
            timeout=DEADLINE,
            check=False,
        )

    def assert_profiled(self, done, pods):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(done.stdout.split()), sorted(f"sparkprof-attach/{pod}.jfr" for pod in pods), done.stderr)
        for pod in pods:
            self.assert_profile_of(pod)

    def assert_profile_of(self, pod):
        stacks = sparkprof("flame", self.folder / "sparkprof-attach" / f"{pod}.jfr", "--event", "wall", "--format", "collapsed").stdout
        self.assertIn(FRAME, stacks, stacks[:2000])

    def assert_nothing_left(self, pod):
        found = self.cluster.kubectl(
            "exec", pod, "--", "find", "/tmp", "-maxdepth", "1", "-name", "*sparkprof*", "!", "-name", "*.jar"
        ).stdout
        self.assertEqual(found, "")

    def test_pods_through_ephemeral_containers(self):
        pod = self.executors[0]
        done = self.attach("--k8s", f"{pod},{self.driver}", "--event", "wall")
        self.assert_profiled(done, [pod, self.driver])
        self.assertNotIn("using exec", done.stderr)
        self.assert_nothing_left(pod)

    def test_an_application_through_exec(self):
        self.assert_profiled(self.attach("--app", self.application, "--all", "--exec", "--event", "wall"), [*self.executors, self.driver])
        for pod in self.executors:
            self.assert_nothing_left(pod)

    def test_printed_commands(self):
        printed = self.attach("--app", self.application, "--executor", "1", "--event", "wall", "--dry-run")
        self.assertEqual(printed.returncode, 0, printed.stderr)
        environment = {**os.environ, "KUBECONFIG": str(self.cluster.kubeconfig)}
        done = subprocess.run(
            ["sh", "-euc", printed.stdout], capture_output=True, text=True, cwd=self.folder, env=environment, timeout=DEADLINE, check=False
        )
        self.assertEqual(done.returncode, 0, printed.stdout + done.stderr)
        (pod,) = (pod for pod in self.executors if pod.endswith("-1"))
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
        pod = self.executors[0]
        rules = json.loads(self.cluster.kubectl("create", "--dry-run=client", "-o", "json", "-f", ROLE).stdout)["rules"]
        arguments = ("--k8s", pod, "--event", "wall")
        with self.subTest("the documented role"):
            done = self.attach(*arguments, kubeconfig=self.kubeconfig_of("attacher", rules))
            self.assert_profiled(done, [pod])
            self.assertNotIn("using exec", done.stderr)
        with self.subTest("no ephemeral containers"):
            narrow = [rule for rule in rules if rule["resources"] != ["pods/ephemeralcontainers"]]
            done = self.attach(*arguments, kubeconfig=self.kubeconfig_of("executor", narrow))
            self.assert_profiled(done, [pod])
            self.assertIn(f"{pod}: no ephemeral container; using exec", done.stderr)
        with self.subTest("only reading"):
            done = self.attach(*arguments, kubeconfig=self.kubeconfig_of("reader", rules[:1]))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertIn("forbidden", done.stderr)
