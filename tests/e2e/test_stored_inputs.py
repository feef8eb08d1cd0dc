# SPDX-License-Identifier: Apache-2.0
"""Files on HDFS and in object stores as inputs of all commands: real stores, and what hands out their credentials."""

import base64
import json
import os
import urllib.parse

from cloud_stores import Azurite, GoogleStorage
from collector import Collector
from hadoop_cluster import HadoopCluster
from http_stub import answering
from kerberized_hdfs import KerberizedHdfs
from seaweed import KEY, SECRET, Seaweed
from small_logs import event_log
from support import TestCase, execute, slow, sparkprof, wait_until

OF_ROLE = {"AccessKeyId": KEY, "SecretAccessKey": SECRET, "Token": "", "Expiration": "2100-01-01T00:00:00Z"}
EMPTY_CONTAINER = 200, "<EnumerationResults><Blobs/><NextMarker/></EnumerationResults>", {}


class StoredInputsTest(TestCase):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.logs = {"app-1": event_log("app-1"), "below/app 2+3%": event_log("app-2", groups=("5 duration=2000",))}
        for name, content in self.logs.items():
            path = self.folder / "logs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def run_with(self, environment, *arguments):
        stores = ("AWS_", "AZURE_", "GOOGLE_", "STORAGE_EMULATOR")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(stores)}
        environment = clean | {"HOME": str(self.folder), "TMPDIR": str(self.temporary)} | environment
        return sparkprof(*arguments, code=None, env=environment, timeout=120)

    def assert_refused(self, message, environment, *arguments):
        refused = self.run_with(environment, *arguments)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn(message, refused.stderr)

    def assert_nothing_there(self, environment, location):
        self.assertIn("no such file or folder", self.run_with(environment, "info", location).stderr)

    def check_location(self, location, environment):
        """The logs at this location give what the local ones give."""
        for name in ("", "/app-1", "/below/app 2+3%"):
            remote = location + name
            for verb in (("show", "stages"), ("findings",)):
                with self.subTest(location=remote, verb=verb):
                    expected = self.run_with({}, *verb, f"{self.folder}/logs{name}", "--json")
                    self.assertEqual(expected.returncode, 0, expected.stderr)
                    found = self.run_with(environment, *verb, remote, "--json")
                    self.assertEqual((found.returncode, found.stdout), (0, expected.stdout), found.stderr)
        self.assert_refused(f"{location}/none: ", environment, "info", f"{location}/none")
        self.assertEqual(list(self.temporary.iterdir()), [], "copies go")

    def test_google_cloud_storage(self):
        google = self.enter(GoogleStorage())
        for name, content in self.logs.items():
            google.put(f"spark/{name}", content)
        google.put("sparkling/app-1", b"another")
        self.check_location("gs://lake/spark", {"STORAGE_EMULATOR_HOST": google.url})

    def test_the_key_of_a_service_account_signs_the_request_for_a_token(self):
        key = execute("openssl", "genrsa", "2048").stdout
        (self.folder / "key.pem").write_text(key)
        public = execute("openssl", "rsa", "-pubout", input=key).stdout
        (self.folder / "public.pem").write_text(public)
        forms = []

        def answer(_, body):
            forms.append(urllib.parse.parse_qs(body.decode()))
            return 401, json.dumps({"error": "invalid_grant", "error_description": "no such account"}), {}

        with answering(answer) as url:
            account = {"type": "service_account", "client_email": "me@project", "private_key": key, "token_uri": url + "/token"}
            (self.folder / "account.json").write_text(json.dumps(account))
            environment = {"GOOGLE_APPLICATION_CREDENTIALS": str(self.folder / "account.json")}
            self.assert_refused("no such account", environment, "info", "gs://lake/spark")
        self.assertEqual(forms[0]["grant_type"], ["urn:ietf:params:oauth:grant-type:jwt-bearer"])
        header, claims, signature = (base64.urlsafe_b64decode(part + "==") for part in forms[0]["assertion"][0].split("."))
        self.assertEqual(json.loads(header)["alg"], "RS256")
        self.assertEqual((json.loads(claims)["iss"], json.loads(claims)["aud"]), ("me@project", url + "/token"))
        (self.folder / "signature").write_bytes(signature)
        (self.folder / "signed").write_text(forms[0]["assertion"][0].rpartition(".")[0])
        execute("openssl", "dgst", "-sha256", "-verify", "public.pem", "-signature", "signature", "signed", cwd=self.folder)

    def test_google_cloud_storage_with_the_identity_of_the_machine(self):
        asked = []

        def answer(request, _):
            asked.append((request.path, request.headers["metadata-flavor"]))
            return 404, json.dumps({"error": "not_found", "error_description": "this machine has no service account"}), {}

        with answering(answer) as url:
            environment = {"GCE_METADATA_HOST": url.removeprefix("http://")}
            self.assert_refused("this machine has no service account", environment, "info", "gs://lake/spark")
        self.assertEqual(asked, [("/computeMetadata/v1/instance/service-accounts/default/token", "Google")])

    def test_s3_with_keys_profiles_and_the_role_of_a_container(self):
        with Seaweed(self.folder / "seaweed") as s3:
            for name, content in self.logs.items():
                s3.put(f"lake/spark/{name}", content)
            s3.put("lake/sparkling/app-1", b"another")
            self.check_location("s3a://lake/spark", s3.environment)
            endpoint = {"AWS_ENDPOINT_URL": s3.url}
            (self.folder / "credentials").write_text(
                "[default]\naws_access_key_id = no\naws_secret_access_key = no\n"
                f"[team]\naws_access_key_id={KEY}\naws_secret_access_key = {SECRET}\n"
            )
            profile = endpoint | {"AWS_SHARED_CREDENTIALS_FILE": str(self.folder / "credentials")}
            self.assertEqual(self.run_with(profile | {"AWS_PROFILE": "team"}, "info", "s3://lake/spark").returncode, 0)
            self.assertIn("status 403", self.run_with(profile, "info", "s3://lake/spark").stderr)
            tokens = []

            def credentials(request, _):
                tokens.append(request.headers["authorization"])
                return 200, json.dumps(OF_ROLE), {}

            with answering(credentials) as url:
                (self.folder / "token").write_text("of the pod\n")
                role = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": url, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": str(self.folder / "token")}
                answer = self.run_with(endpoint | role, "info", "s3://lake/spark")
                self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertEqual(tokens, ["of the pod"], "asked once")

    def test_s3_with_the_role_of_an_instance(self):
        asked = []

        def metadata(request, _):
            asked.append((request.command, request.path))
            if request.path == "/latest/api/token":
                lifetime = request.headers["x-aws-ec2-metadata-token-ttl-seconds"]
                return (200, "of-session", {}) if request.command == "PUT" and lifetime else (403, "", {})
            if request.headers["x-aws-ec2-metadata-token"] != "of-session":
                return 401, "", {}
            if request.path == "/latest/meta-data/iam/security-credentials/":
                return 200, "reader\n", {}
            return 200, json.dumps(OF_ROLE), {}

        with Seaweed(self.folder / "seaweed") as s3, answering(metadata) as url:
            for name, content in self.logs.items():
                s3.put(f"lake/spark/{name}", content)
            instance = {"AWS_ENDPOINT_URL": s3.url, "AWS_EC2_METADATA_SERVICE_ENDPOINT": url}
            self.check_location("s3a://lake/spark", instance)
            self.assertEqual(asked[2], ("GET", "/latest/meta-data/iam/security-credentials/reader"))
            refused = self.run_with(instance | {"AWS_EC2_METADATA_DISABLED": "true"}, "info", "s3a://lake/spark")
            self.assertIn("status 403", refused.stderr)

    def test_s3_with_the_role_of_a_service_account_of_kubernetes(self):
        requests = []

        def answer(request, body):
            requests.append((request.path, dict(request.headers), body))
            if request.path == "/sts":
                credentials = (
                    "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>"
                    "<AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>hidden</SecretAccessKey><SessionToken>of-session</SessionToken>"
                    "<Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult>"
                    "</AssumeRoleWithWebIdentityResponse>"
                )
                return 200, credentials, {}
            return 200, "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>", {}

        (self.folder / "token").write_text("signed by Kubernetes\n")
        with answering(answer) as url:
            environment = {
                "AWS_ENDPOINT_URL": url,
                "AWS_ENDPOINT_URL_STS": url + "/sts",
                "AWS_ROLE_ARN": "arn:aws:iam::1:role/reader",
                "AWS_WEB_IDENTITY_TOKEN_FILE": str(self.folder / "token"),
            }
            self.assert_nothing_there(environment, "s3a://lake/spark")
        form = urllib.parse.parse_qs(requests[0][2].decode())
        self.assertEqual((form["RoleArn"], form["WebIdentityToken"]), (["arn:aws:iam::1:role/reader"], ["signed by Kubernetes"]))
        headers = {name.lower(): value for name, value in requests[1][1].items()}
        self.assertEqual(headers["x-amz-security-token"], "of-session")
        self.assertIn("Credential=ASIA1/", headers["authorization"])

    def test_azure_with_the_secret_of_a_client(self):
        forms = []

        def answer(request, body):
            if request.path == "/tenant/oauth2/v2.0/token":
                forms.append(urllib.parse.parse_qs(body.decode()))
                return 200, json.dumps({"access_token": "of-entra", "expires_in": 3600}), {}
            return EMPTY_CONTAINER if request.headers["authorization"] == "Bearer of-entra" else (403, "", {})

        with answering(answer) as url:
            environment = {
                "AZURE_STORAGE_CONNECTION_STRING": f"BlobEndpoint={url}/account",
                "AZURE_AUTHORITY_HOST": url,
                "AZURE_TENANT_ID": "tenant",
                "AZURE_CLIENT_ID": "client",
                "AZURE_CLIENT_SECRET": "hidden",
            }
            self.assert_nothing_there(environment, "abfss://lake@account.dfs.core.windows.net/spark")
        self.assertEqual((len(forms), forms[0]["client_secret"]), (1, ["hidden"]))
        self.assertEqual(forms[0]["scope"], ["https://storage.azure.com/.default"])

    def test_azure_with_the_identity_of_the_machine(self):
        asked = []

        def answer(request, _):
            asked.append(request.path.partition("?")[0])
            if request.path.startswith("/metadata/identity/oauth2/token") and request.headers["metadata"] == "true":
                return 200, json.dumps({"access_token": "of-azure", "expires_in": "3600"}), {}
            return EMPTY_CONTAINER if request.headers["authorization"] == "Bearer of-azure" else (403, "", {})

        with answering(answer) as url:
            azure = {"AZURE_STORAGE_CONNECTION_STRING": f"BlobEndpoint={url}/account", "AZURE_POD_IDENTITY_AUTHORITY_HOST": url}
            self.assert_nothing_there(azure, "abfss://lake@account.dfs.core.windows.net/spark")
            self.assertEqual(asked.count("/metadata/identity/oauth2/token"), 1)

    def test_azure_with_the_key_of_the_account_and_a_shared_access_signature(self):
        azurite = self.enter(Azurite(self.folder / "azurite", self.folder / "logs"))
        location = f"{azurite.location}/spark"
        self.check_location(location, azurite.environment)
        by_sas = {"AZURE_STORAGE_CONNECTION_STRING": f"BlobEndpoint={azurite.url}", "AZURE_STORAGE_SAS_TOKEN": azurite.sas}
        self.check_location(location, by_sas)
        wrong = self.run_with(by_sas | {"AZURE_STORAGE_SAS_TOKEN": azurite.sas + "x"}, "info", location)
        self.assertIn("status 403", wrong.stderr)
        self.assertNotIn("sig=", wrong.stderr)

    @slow("a real HDFS is")
    def test_hdfs(self):
        cluster = HadoopCluster(self.folder / "hadoop")
        self.addCleanup(cluster.close)
        cluster.file_system("-put", self.folder / "logs", "/spark")
        self.check_location(f"{cluster.webhdfs}/spark", {})

    @slow("a real HDFS with Kerberos is")
    def test_hdfs_with_kerberos(self):
        hdfs = KerberizedHdfs(self.folder / "hdfs")
        self.addCleanup(hdfs.close)
        hdfs.put(self.folder / "logs", "/spark")
        location = f"{hdfs.webhdfs}/spark"
        realm = {"KRB5_CONFIG": hdfs.environment["KRB5_CONFIG"]}
        without = realm | {"KRB5CCNAME": str(self.folder / "none")}
        self.assert_refused("no Kerberos ticket for HTTP@localhost", without, "info", location)
        with self.subTest("tickets of kinit"):
            self.check_location(location, hdfs.environment)
        with self.subTest("a keytab"):
            keytab = {"KRB5_CLIENT_KTNAME": str(hdfs.user_keytab), "KRB5CCNAME": str(self.folder / "new")}
            self.check_location(location, realm | keytab)
        token = self.folder / "token"
        hdfs.token(token)
        with_token = {"HADOOP_TOKEN_FILE_LOCATION": str(token)}
        self.check_location(location, with_token)
        content = bytearray(token.read_bytes())
        content[content.index(b"delegation") - len(b"WEBHDFS ") - 2] ^= 1  # the last byte of the password
        token.write_bytes(content)
        self.assert_refused("status 403", with_token, "info", location)

    @slow("a real HDFS with Kerberos is")
    def test_tickets_and_tokens_that_expire_while_a_collector_watches(self):
        hdfs = KerberizedHdfs(self.folder / "hdfs", lifetime=30)
        self.addCleanup(hdfs.close)
        location = f"{hdfs.webhdfs}/spark"
        later = (self.folder / "logs" / "below" / "app 2+3%").rename(self.folder / "app-2")
        hdfs.put(self.folder / "logs", "/spark")
        token = self.folder / "token"
        hdfs.token(token)
        keytab = {
            "KRB5_CONFIG": hdfs.environment["KRB5_CONFIG"],
            "KRB5_CLIENT_KTNAME": str(hdfs.user_keytab),
            "KRB5CCNAME": str(self.folder / "new"),
        }
        with Collector(self.folder / "data", "--watch", location, environment=keytab) as server:
            server.wait_for(lambda listed: len(listed) == 1, "the first log")
            with_token = {"HADOOP_TOKEN_FILE_LOCATION": str(token)}
            wait_until(lambda: "expired" in self.run_with(with_token, "info", location).stderr, "an old token that is refused")
            hdfs.put(later, "/spark/app-2")
            server.wait_for(lambda listed: len(listed) == 2, "a log that came after the token expired")
