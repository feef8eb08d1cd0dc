# SPDX-License-Identifier: Apache-2.0
"""A real `sparkprof serve` for tests, and requests to it."""

import gzip
import json
import os
import pathlib
import re
import resource
import ssl
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from spark_jobs import run_job
from support import DEADLINE, PEERS, SPARKPROF, free_port, sparkprof, wait_until, write_file

API = "/api/sparkprof/v1"
JSON = {"Content-Type": "application/json"}
OTEL_COLLECTOR = PEERS / "otel-collector"


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers = status, headers
        self.body = gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" else body

    def json(self):
        return json.loads(self.body)


def pushed(folder, *paths):
    """The bytes of the recording that `sparkprof push` makes of these paths; `folder` is that of a collector of its own."""
    with Collector(folder) as server:
        server.push(*paths)
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*.sprof")))


def job_to_push(test_class):
    """The profile of a PySpark job with Python workers, for all tests of the class."""
    temporary = tempfile.TemporaryDirectory(prefix="sparkprof-e2e-")
    test_class.addClassCleanup(temporary.cleanup)
    return run_job(temporary.name, "python_shares.py", "2", "2")


class Collector:
    """Use as a context manager: the server ends with it."""

    def __init__(self, data, *options, port=0, token=None, tokens=None, tls=None, descriptors=None, environment=None):
        """`data`: the data folder, or the location of a store. `token`: of requests. `tokens`: the text of the server's file of tokens. `descriptors`: the soft and the hard limit of
        the server. `environment`: more variables for it."""
        self.token = token
        self.context = ssl.create_default_context(cafile=tls) if tls else None
        if tokens:
            self.tokens = write_file(pathlib.Path(f"{data}.tokens"), tokens, 0o600)
            options = ("--tokens", self.tokens, *options)
        place = "--store" if "://" in str(data) else "--data"
        self.process = subprocess.Popen(
            [SPARKPROF, "serve", "--listen", f"127.0.0.1:{port}", place, str(data), *map(str, options)],
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | (environment or {}),
            preexec_fn=descriptors and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, descriptors)),
        )
        self.first_line = self.process.stderr.readline()
        found = re.fullmatch(r"sparkprof: serving (https?://127\.0\.0\.1:(\d+))/\n", self.first_line)
        if not found:
            raise AssertionError(self.first_line + self.process.stderr.read())
        self.url, self.port = found[1], int(found[2])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=DEADLINE)
        return self.process.returncode

    def kill(self):
        self.process.kill()
        self.process.communicate(timeout=DEADLINE)

    def request(self, method, path, body=None, headers=None, token=None):
        body = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
        request = urllib.request.Request(self.url + path, data=body, method=method, headers=headers or {})
        if token or self.token:
            request.add_header("Authorization", f"Bearer {token or self.token}")
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE, context=self.context) as answer:
                return Response(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Response(error.code, error.headers, error.read())

    def get(self, path, **parameters):
        pairs = [
            (key.replace("_", "-"), item) for key, value in parameters.items() for item in (value if isinstance(value, list) else [value])
        ]
        return self.request("GET", API + path + ("?" + urllib.parse.urlencode(pairs) if pairs else ""))

    def spark(self, path, **options):
        """Spark's own API about applications."""
        return self.request("GET", f"/api/v1/applications{path}", **options)

    def health(self):
        return self.request("GET", "/healthz")

    def folder(self):
        """The state of the first watched folder."""
        return self.health().json()["folders"][0]

    def metrics(self, path="/metrics", **options):
        return self.request("GET", path, **options).body.decode()

    def push(self, *paths, **options):
        """Runs `sparkprof push` of these paths and options."""
        return sparkprof("push", *paths, "--server", self.url, **options)

    def post(self, body, **options):
        """Sends blocks as one source, which proves itself by an upload secret like the plugin's."""
        headers = {"Content-Type": "application/octet-stream", "Sparkprof-Upload-Secret": "0123456789abcdef" * 4}
        return self.request("POST", API + "/recordings", body, headers, **options)

    def applications(self, **parameters):
        return self.get("/applications", **parameters).json()["applications"]

    def wait_for(self, condition, what):
        """Until the list of applications, up to 1,000 of them, fulfils `condition`."""
        wait_until(lambda: condition(self.applications(limit=1000)), what)

    def statuses(self):
        return {row["id"]: row["status"] for row in self.applications(limit=1000)}

    def wait_for_ids(self, *applications):
        wait_until(
            lambda: self.get("/applications").status == 200 and set(self.statuses()) == set(applications), f"{applications} in the list"
        )


def start_otel(test, kind, exporter, *options):
    """A real OpenTelemetry collector, which forwards what it gets of this kind of OTLP; its address."""
    port = free_port()
    receivers = {"otlp": {"protocols": {"http": {"endpoint": f"127.0.0.1:{port}"}}}}
    service = {"telemetry": {"metrics": {"level": "none"}}, "pipelines": {kind: {"receivers": ["otlp"], "exporters": ["otlp_http"]}}}
    configuration = test.folder / "otel.yaml"
    configuration.write_text(json.dumps({"receivers": receivers, "exporters": {"otlp_http": exporter}, "service": service}))
    test.start(OTEL_COLLECTOR, "--config", f"file:{configuration}", *options)
    return f"http://127.0.0.1:{port}"
