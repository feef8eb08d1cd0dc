# SPDX-License-Identifier: Apache-2.0
"""A real `sparkprof serve` for tests, and requests to it."""

import gzip
import json
import os
import re
import resource
import ssl
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from support import DEADLINE, SPARKPROF, wait_until

API = "/api/sparkprof/v1"


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers = status, headers
        self.body = gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" else body

    def json(self):
        return json.loads(self.body)


class Collector:
    """Use as a context manager: the server ends with it."""

    def __init__(self, data, *options, port=0, token=None, tls=None, descriptors=None, environment=None):
        """`descriptors`: the soft and the hard limit of the server. `environment`: more variables for it."""
        self.token = token
        self.context = ssl.create_default_context(cafile=tls) if tls else None
        self.process = subprocess.Popen(
            [SPARKPROF, "serve", "--listen", f"127.0.0.1:{port}", "--data", str(data), *map(str, options)],
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | (environment or {}),
            preexec_fn=descriptors and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, descriptors)),
        )
        self.first_line = self.process.stderr.readline()
        found = re.fullmatch(r"sparkprof: serving (https?://127\.0\.0\.1:\d+)/\n", self.first_line)
        if not found:
            raise AssertionError(self.first_line + self.process.stderr.read())
        self.url = found[1]

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

    def post(self, body, **options):
        """Sends blocks as one source, which proves itself by an upload secret like the plugin's."""
        headers = {"Content-Type": "application/octet-stream", "Sparkprof-Upload-Secret": "0123456789abcdef" * 4}
        return self.request("POST", API + "/recordings", body, headers, **options)

    def applications(self, **parameters):
        return self.get("/applications", **parameters).json()["applications"]

    def wait_for(self, condition, what):
        """Until the list of applications, up to 1,000 of them, fulfils `condition`."""
        wait_until(lambda: condition(self.applications(limit=1000)), what)
