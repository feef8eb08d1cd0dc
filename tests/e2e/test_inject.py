# SPDX-License-Identifier: Apache-2.0
"""The admission webhook of `serve --inject`: its answers change pods so that unchanged jobs of real Spark are profiled."""

import base64
import copy
import json
import pathlib
import shutil

from certificates import make_certificate
from collector import JSON, Collector
from spark_jobs import Spark, submit
from support import JOBS, PLUGIN_JAR, TestCase, execute, free_port, sparkprof, wait_until

FOLDER = "/opt/sparkprof-plugin"
JOB = JOBS / "settings_job.py"
TOKENS = "ingest ingest-0123456789abcdef\nread reader-0123456789abcdef\n"
# A driver that spark-submit in cluster mode creates, shortened.
DRIVER = {
    "metadata": {"name": "job-driver", "labels": {"spark-role": "driver", "spark-app-selector": "spark-1"}},
    "spec": {
        "volumes": [{"name": "spark-conf-volume-driver", "configMap": {"name": "conf"}}],
        "containers": [
            {
                "name": "spark-kubernetes-driver",
                "image": "spark:4.1.1",
                "args": ["driver", "--properties-file", "/opt/spark/conf/spark.properties", "local:///job.py"],
                "env": [{"name": "SPARK_SUBMIT_OPTS", "value": "-Duser.property=set"}],
                "volumeMounts": [{"name": "spark-conf-volume-driver", "mountPath": "/opt/spark/conf"}],
            }
        ],
    },
}


def review(pod, **request):
    request = {"uid": "uid-1", "kind": {"group": "", "version": "v1", "kind": "Pod"}, "operation": "CREATE", "object": pod} | request
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def patched(document, patch):
    """The document after a JSON Patch that only adds (RFC 6902)."""
    document = copy.deepcopy(document)
    for operation in patch:
        assert operation["op"] == "add"
        *parents, last = [part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]]
        target = document
        for key in parents:
            target = target[int(key)] if isinstance(target, list) else target[key]
        if isinstance(target, list):
            target.insert(len(target) if last == "-" else int(last), operation["value"])
        else:
            target[last] = operation["value"]
    return document


class InjectTest(TestCase):
    def serve(self, *options, server="http://127.0.0.1:9", **more):
        certificate, key = make_certificate(self.folder)
        options = ("--tls-cert", certificate, "--tls-key", key, "--inject", "--inject-image", "sparkprof:1", *options)
        return self.enter(Collector(self.folder / "data", *options, "--inject-server", server, tls=certificate, **more))

    def mutate(self, server, body):
        answer = server.request("POST", "/mutate?timeout=1s", body, JSON)
        self.assertEqual(answer.status, 200)
        response = answer.json()["response"]
        self.assertTrue(response["allowed"])
        return response

    def admitted(self, server, pod):
        """The pod that the API server would store."""
        response = self.mutate(server, review(pod))
        return patched(pod, json.loads(base64.b64decode(response["patch"]))) if "patch" in response else pod

    def run_as_pod(self, spark, pod, command):
        """The kubelet's part: runs the init containers and then the command of the driver's entry point with the pod's environment."""
        plugin = self.folder / "plugin"
        for container in pod["spec"].get("initContainers", []):
            plugin.mkdir(exist_ok=True)
            program, source, target = container["command"]
            self.assertEqual((program, source, target), ("cp", "/opt/sparkprof/lib/sparkprof-spark.jar", FOLDER + "/"))
            shutil.copy(PLUGIN_JAR, plugin)
        variables = {entry["name"]: entry for entry in pod["spec"]["containers"][0].get("env", [])}
        environment = {name: entry["value"].replace(FOLDER, str(plugin)) for name, entry in variables.items() if "value" in entry}
        if "SPARKPROF_SERVER_TOKEN" in variables:
            reference = variables["SPARKPROF_SERVER_TOKEN"]["valueFrom"]["secretKeyRef"]
            self.assertEqual(reference, {"name": "sparkprof-tokens", "key": "ingest", "optional": True})
            environment["SPARKPROF_SERVER_TOKEN"] = "ingest-0123456789abcdef"
        return execute(*command, code=None, env=spark.environment(**environment), cwd=self.folder)

    def test_an_unchanged_job_is_profiled_and_prints_and_ends_as_without_the_webhook(self):
        spark = Spark()
        collector = self.enter(Collector(self.folder / "collected", tokens=TOKENS, token="reader-0123456789abcdef"))
        webhook = self.serve(server=collector.url)
        pod = self.admitted(webhook, DRIVER)
        self.assertEqual(pod["spec"]["containers"][0]["args"], DRIVER["spec"]["containers"][0]["args"])
        jar = spark.compile_job("UserPlugin", self.folder)
        conf = {"spark.jars": jar, "spark.plugins": "UserPlugin", "spark.executor.memory": "512m", "spark.ui.enabled": "false"}
        command = submit(JOB, "stop", master="local-cluster[1,1,512]", options=["--deploy-mode", "client"], conf=conf)
        without, profiled = (self.run_as_pod(spark, each, command) for each in (DRIVER, pod))
        self.assertEqual((profiled.returncode, profiled.stdout), (without.returncode, without.stdout), profiled.stderr[-4000:])
        self.assertEqual(without.returncode, 0, without.stderr[-4000:])
        self.assertIn("user plugin runs\n", profiled.stdout)
        self.assertNotIn("Picked up", profiled.stderr)
        wait_until(lambda: list(collector.statuses().values()) == ["finished"], "the end of the job in the list")
        [row] = collector.applications()
        self.assertEqual(row["totals"], "complete")
        counts = collector.get(f"/applications/{row['id']}").json()["counts"]
        self.assertEqual((counts["executors"], counts["tasks"]), (1, 2))
        self.assertIn(b"settings_job", collector.get(f"/applications/{row['id']}/flame", event="wall", format="collapsed").body)

    def test_a_job_ends_as_before_without_the_collector_and_after_a_failure(self):
        spark = Spark()
        pod = self.admitted(self.serve(server=f"http://127.0.0.1:{free_port()}"), DRIVER)
        for job in ([JOB, "stop"], [self.folder / "missing.py"]):
            with self.subTest(job=pathlib.Path(job[0]).name):
                without, profiled = (self.run_as_pod(spark, each, submit(*job, master="local[1]")) for each in (DRIVER, pod))
                self.assertEqual((profiled.returncode, profiled.stdout), (without.returncode, without.stdout), profiled.stderr[-4000:])

    def test_every_answer_admits_the_pod_and_malformed_reviews_are_counted(self):
        webhook = self.serve(token="reader-0123456789abcdef", tokens=TOKENS)
        # The API server has no token.
        webhook.token = None
        self.assertEqual(self.mutate(webhook, review(DRIVER))["uid"], "uid-1")
        self.assertNotIn("patch", self.mutate(webhook, review({"metadata": {"labels": {"app": "web"}}})))
        for body in (b"", b"{", b"[" * 100_000, review(7), {"apiVersion": "admission.k8s.io/v1beta1"}):
            self.assertNotIn("patch", self.mutate(webhook, body))
        skipped = copy.deepcopy(DRIVER)
        skipped["spec"]["containers"][0]["env"] = [{"name": "SPARK_SUBMIT_OPTS", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}]
        annotations = self.admitted(webhook, skipped)["metadata"]["annotations"]
        self.assertRegex(annotations["sparkprof.io/injection"], "^skipped: .*valueFrom")
        too_large = webhook.request("POST", "/mutate", b" " * (5 << 20), JSON)
        self.assertEqual(too_large.status, 413)
        metrics = webhook.metrics(token="reader-0123456789abcdef")
        for name, count in {"injected_pods": 1, "skipped_pods": 1, "malformed_reviews": 5}.items():
            self.assertIn(f"\nsparkprof_{name}_total {count}\n", metrics)
        webhook.process.terminate()
        log = webhook.process.communicate()[1]
        self.assertEqual(log.count("malformed review from 127.0.0.1"), 1, log)

    def test_a_share_of_the_applications(self):
        webhook = self.serve("--inject-share", "10%")
        chosen = 0
        for number in range(200):
            pod = copy.deepcopy(DRIVER)
            pod["metadata"]["labels"]["spark-app-selector"] = f"spark-{number}"
            chosen += self.admitted(webhook, pod)["metadata"]["annotations"]["sparkprof.io/injection"] == "injected"
        self.assertTrue(5 <= chosen <= 40, chosen)

    def test_without_the_option_there_is_no_webhook(self):
        server = self.enter(Collector(self.folder / "data"))
        self.assertEqual(server.request("POST", "/mutate", review(DRIVER), JSON).status, 404)

    def test_wrong_options(self):
        certificate, key = make_certificate(self.folder)
        tls = ("--tls-cert", certificate, "--tls-key", key)
        image, url = ("--inject-image", "sparkprof:1"), ("--inject-server", "http://c:8320")
        for options, problem in (
            (("--inject", *image, *url), "add --tls-cert and --tls-key"),
            (("--inject", *tls, *url), "requires --inject-image"),
            (("--inject", *tls, *image), "is not a URL"),
            (("--inject", *tls, *image, *url, "--inject-share", "0.5"), "is not a share from 0% to 100%"),
            (("--inject", *tls, *image, *url, "--inject-share", "101%"), "is not a share from 0% to 100%"),
            (image, "add --inject"),
        ):
            with self.subTest(options=options):
                self.assertIn(problem, sparkprof("serve", "--data", self.folder / "none", *options, code=2).stderr)
