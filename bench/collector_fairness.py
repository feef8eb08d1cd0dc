#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The effect of greedy clients on others: collector_fairness.py [PICTURES [IDLE]]. Starts `sparkprof serve` with TLS, stores 200 MB of
profiles, and measures, one after the other, while PICTURES (20) clients draw flame graphs of them, while as many announce 64 MiB
and send a byte a second, and with IDLE (5000) connections that do nothing: how long /healthz, /metrics, a list and a
small upload take for another client. Prints one JSON object with times in ms, and the statuses of uploads."""

import collections
import http.client
import json
import os
import pathlib
import re
import resource
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tests" / "e2e"))

from certificates import make_certificate  # noqa: E402
from make_stacks import Stacks  # noqa: E402

SPARKPROF = os.environ.get("SPARKPROF_BIN", str(REPOSITORY / "bin" / "sparkprof"))
UPLOADS, UPLOAD_BYTES = 8, 25_000_000
GREEDY, OTHER, READER = "greedy-0123456789abcdef", "others-0123456789abcdef", "reader-0123456789abcdef"
PROBES = {
    "health": ("GET", "/healthz", None),
    "metrics": ("GET", "/metrics", None),
    "list": ("GET", "/api/sparkprof/v1/applications", None),
    "upload": ("POST", "/ingest?name=small", b"main 1\n"),
}


class Server:
    def __init__(self, folder):
        certificate, key = make_certificate(folder)
        (folder / "tokens").write_text(f"admin {GREEDY}\ningest {OTHER}\nread {READER}\n")
        (folder / "tokens").chmod(0o600)
        self.process = subprocess.Popen(
            [
                SPARKPROF,
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--data",
                folder / "data",
                "--tokens",
                folder / "tokens",
                "--tls-cert",
                certificate,
                "--tls-key",
                key,
            ],
            stderr=subprocess.PIPE,
            text=True,
        )
        self.port = int(re.search(r":(\d+)/", self.process.stderr.readline())[1])
        self.context = ssl._create_unverified_context()

    def connect(self, is_encrypted=True):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=300)
        return self.context.wrap_socket(connection) if is_encrypted else connection

    def request(self, method, path, body=None, token=GREEDY):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=300, context=self.context)
        connection.request(method, path, body, {"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content


def upload(server):
    for number in range(UPLOADS):
        stacks, lines, size = Stacks(number), [], 0
        while size < UPLOAD_BYTES:
            lines.append(";".join(stacks.next(len(lines))) + f" {len(lines) % 97 + 1}\n")
            size += len(lines[-1])
        status, answer = server.request(
            "POST", f"/ingest?name=large&from={1_700_000_000 + number}&until={1_700_000_001 + number}", "".join(lines).encode()
        )
        if status != 200:
            sys.exit(f"collector_fairness: upload: {status} {answer[:200]}")
    return json.loads(server.request("GET", "/api/sparkprof/v1/groups")[1]) and "large"


def probe(server, seconds, end):
    """Requests of another client for so long, or until `end`."""
    times, statuses = collections.defaultdict(list), collections.Counter()
    until = time.monotonic() + seconds
    while time.monotonic() < until and not end.is_set():
        for name, (method, path, body) in PROBES.items():
            begin = time.monotonic()
            try:
                status = server.request(method, path, body, OTHER if method == "POST" else READER)[0]
            except OSError as error:
                status = type(error).__name__
            times[name].append(1000 * (time.monotonic() - begin))
            if name == "upload":
                statuses[str(status)] += 1
    return {
        name: {
            "median": round(statistics.median(values), 1),
            "p99": round(sorted(values)[len(values) * 99 // 100], 1),
            "max": round(max(values), 1),
            "count": len(values),
        }
        for name, values in times.items()
    } | {"uploads": dict(statuses)}


def with_pictures(server, count):
    """Each picture is another one, so that nothing answers it from a cache."""
    applications = json.loads(server.request("GET", "/api/sparkprof/v1/applications")[1])["applications"]
    large = next(row["id"] for row in applications if "large" in row["id"] + row["name"])
    ended = threading.Event()

    def draw(number):
        server.request(
            "GET", f"/api/sparkprof/v1/applications/{large}/flame?minwidth=0.0{number + 1}&format=collapsed&search=method_{number}"
        )

    threads = [threading.Thread(target=draw, args=(number,)) for number in range(count)]
    begin = time.monotonic()
    for thread in threads:
        thread.start()

    def wait():
        for thread in threads:
            thread.join()
        ended.set()

    threading.Thread(target=wait).start()
    time.sleep(0.5)
    result = probe(server, 120, ended)
    ended.wait()
    return result | {"pictures_s": round(time.monotonic() - begin, 1)}


def with_tricklers(server, count):
    connections = [server.connect() for _ in range(count)]
    ended = threading.Event()
    for connection in connections:
        connection.sendall(
            b"POST /api/sparkprof/v1/recordings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
            % (GREEDY.encode(), 64 << 20)
        )

    def trickle():
        while not ended.wait(1):
            for connection in connections:
                try:
                    connection.sendall(b"x")
                except OSError:
                    pass

    thread = threading.Thread(target=trickle)
    thread.start()
    result = probe(server, 10, ended)
    ended.set()
    thread.join()
    return result


def with_idle_connections(server, count):
    begin = time.monotonic()
    connections = [server.connect(is_encrypted=number % 2 == 0) for number in range(count)]
    return {"connections": len(connections), "connected_s": round(time.monotonic() - begin, 1)} | probe(server, 10, threading.Event())


def main():
    pictures, idle = (int(text) for text in (sys.argv[1:] + ["20", "5000"][len(sys.argv) - 1 :])[:2])
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory(prefix="sparkprof-fairness-") as folder:
        server = Server(pathlib.Path(folder))
        try:
            upload(server)
            while b"large" not in server.request("GET", "/api/sparkprof/v1/applications")[1]:
                time.sleep(0.5)
            result = {
                "alone": probe(server, 3, threading.Event()),
                "pictures": with_pictures(server, pictures),
                "tricklers": with_tricklers(server, pictures),
                "idle": with_idle_connections(server, idle),
            }
            print(json.dumps(result, indent=1))
        finally:
            server.process.terminate()
            server.process.wait()


if __name__ == "__main__":
    main()
