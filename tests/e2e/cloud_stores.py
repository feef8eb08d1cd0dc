# SPDX-License-Identifier: Apache-2.0
"""Stand-ins of Azure's and Google's object stores on loopback: Azurite, and an emulator behind a proxy that adds conditions."""

import contextlib
import subprocess
import threading
import unittest
import urllib.error
import urllib.parse
import urllib.request

from http_stub import answering
from support import CACHE, REPOSITORY, execute, free_port, wait_until

AZURITE = CACHE / "azurite" / "node_modules" / ".bin" / "azurite-blob"
# The account of every Azurite, of its documentation.
AZURITE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@contextlib.contextmanager
def running(*command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


class Azurite(contextlib.ExitStack):
    """The container "lake", with the files of `content` below "spark". `environment` has the key of the account, `sas` a signature to read."""

    location = "abfss://lake@devstoreaccount1.dfs.core.windows.net"

    def __init__(self, folder, content):
        super().__init__()
        if not AZURITE.exists():
            raise unittest.SkipTest("Azurite is missing: scripts/setup azurite")
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/devstoreaccount1"
        connection = f"DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey={AZURITE_KEY};BlobEndpoint={self.url};"
        self.environment = {"AZURE_STORAGE_CONNECTION_STRING": connection}
        options = ("--location", str(folder), "--loose", "--skipApiVersionCheck", "--silent", "--disableTelemetry")
        self.enter_context(running(AZURITE, "--blobHost", "127.0.0.1", "--blobPort", str(port), *options))
        fill = REPOSITORY / "tests/e2e/fill_azurite.mjs"
        self.sas = execute("node", fill, AZURITE.parents[1], connection, content).stdout.strip()


class GoogleStorage(contextlib.ExitStack):
    """The bucket "lake". `url` ignores conditions; `environment` leads to a proxy that honors them, as Google does."""

    location = "gs://lake"

    def __init__(self):
        super().__init__()
        emulator = CACHE / "gcs" / "bin" / "gcp-storage-emulator"
        if not emulator.exists():
            raise unittest.SkipTest("the emulator of Google Cloud Storage is missing: scripts/setup tests")
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        options = ("--host", "127.0.0.1", "--port", str(port), "--in-memory", "--default-bucket", "lake")
        self.enter_context(running(emulator, "start", *options))
        wait_until(lambda: self.put("started", b"x") == 200, "the emulator")
        self.creating = threading.Lock()
        self.environment = {"STORAGE_EMULATOR_HOST": self.enter_context(answering(self.answer))}

    def put(self, name, content):
        target = f"/upload/storage/v1/b/lake/o?uploadType=media&name={urllib.parse.quote(name, safe='')}"
        with contextlib.suppress(OSError):
            return self.forward("POST", target, content, {})[0]
        return 0

    def answer(self, request, body):
        url = urllib.parse.urlsplit(request.path)
        asked = urllib.parse.parse_qs(url.query)
        headers = {name: request.headers[name] for name in ("Range", "Content-Type") if name in request.headers}
        if asked.get("ifGenerationMatch") != ["0"]:
            return self.forward(request.command, request.path, body, headers)
        with self.creating:
            name = urllib.parse.quote(asked["name"][0], safe="")
            if self.forward("GET", f"{url.path.removeprefix('/upload')}/{name}", None, {})[0] == 200:
                return 412, "{}", {}
            return self.forward(request.command, request.path, body, headers)

    def forward(self, method, path, body, headers):
        request = urllib.request.Request(self.url + path, data=body or None, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.read(), {}
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read(), {}
