# SPDX-License-Identifier: Apache-2.0
"""A real S3 server on loopback that checks signatures: SeaweedFS."""

import json
import subprocess
import unittest
import urllib.error
import urllib.parse
import urllib.request
import uuid

from support import CACHE, free_port, wait_until

KEY, SECRET = "reader", "secret-of-the-reader"


class Seaweed:
    """Use as a context manager. `environment` has what S3 clients need."""

    def __init__(self, folder):
        program = CACHE / "seaweedfs" / "bin" / "weed"
        if not program.exists():
            raise unittest.SkipTest("SeaweedFS is missing: scripts/setup tests")
        self.folder = folder
        self.ports = {name: free_port() for name in ("s3.port", "master.port", "volume.port", "filer.port")}
        (folder / "data").mkdir(parents=True)
        identity = {"name": KEY, "credentials": [{"accessKey": KEY, "secretKey": SECRET}], "actions": ["Admin", "Read", "List", "Write"]}
        (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
        places = [f"-dir={folder / 'data'}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-s3.config={folder / 's3.json'}"]
        parts = ["-filer", "-s3", "-s3.port.iceberg=0", "-s3.port.lance=0", "-master.volumeSizeLimitMB=64", "-volume.max=20"]
        ports = [option for name, port in self.ports.items() for option in (f"-{name}={port}", f"-{name}.grpc={free_port()}")]
        self.command = [program, "-logtostderr=true", "server", *places, *parts, *ports]
        self.url = f"http://127.0.0.1:{self.ports['s3.port']}"
        self.environment = {"AWS_ENDPOINT_URL": self.url, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            wait_until(self._takes_files, "SeaweedFS")
        except BaseException:
            self.stop()
            raise

    def stop(self):
        self.process.kill()
        self.process.wait()

    def put(self, path, content):
        """Writes BUCKET/KEY, without a signature by the port below S3."""
        boundary = uuid.uuid4().hex
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n\r\n'
        body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
        url = f"http://127.0.0.1:{self.ports['filer.port']}/buckets/{urllib.parse.quote(path)}"
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        urllib.request.urlopen(urllib.request.Request(url, data=body, method="POST", headers=headers), timeout=10).close()

    def _takes_files(self):
        try:
            self.put("bucket/started", b"x")
            urllib.request.urlopen(self.url, timeout=5).close()
        except urllib.error.HTTPError as error:
            return error.code == 403
        except OSError:
            return False
        return True
