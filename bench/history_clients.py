#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks `sparkprof serve --watch` for Spark's REST API of one event log: history_clients.py SPARKPROF LOG [CLIENTS] [REQUESTS]

Prints the first /stages of the cold log, then p50, p99 and the server's CPU time of each request: by one client, and by
CLIENTS (50) at once, REQUESTS (200) each; and the server's peak memory.
"""

import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse


class Server:
    def __init__(self, program, folder, data):
        command = [program, "serve", "--listen", "127.0.0.1:0", "--data", data, "--watch", folder]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.address = urllib.parse.urlparse(self.process.stderr.readline().split()[-1]).netloc

    def cpu(self):
        ticks = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def peak_mib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) // 1024

    def stop(self):
        self.process.terminate()
        self.process.wait()


def get(connection, path):
    connection.request("GET", "/api/v1/applications" + path)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status} {body[:200]!r}")
    return body


def ask(server, path, count, times):
    connection = http.client.HTTPConnection(server.address)
    for _ in range(count):
        begin = time.monotonic()
        get(connection, path)
        times.append(time.monotonic() - begin)


def measure(server, path, clients, requests):
    times = []
    cpu = server.cpu()
    begin = time.monotonic()
    threads = [threading.Thread(target=ask, args=(server, path, requests, times)) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall = time.monotonic() - begin
    times.sort()
    p50, p99 = (times[int(len(times) * share)] * 1e3 for share in (0.5, 0.99))
    cpu_ms = (server.cpu() - cpu) * 1e3 / len(times)
    print(
        f"{clients} clients, {path or '/applications'}: p50 {p50:.1f} ms, p99 {p99:.1f} ms, {len(times) / wall:.0f} requests/s, CPU {cpu_ms:.2f} ms each"
    )


def wait_for_application(connection):
    while True:
        applications = json.loads(get(connection, ""))
        if applications:
            return "/" + applications[0]["id"]
        time.sleep(0.1)


def main(program, log, clients=50, requests=200):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "logs"
        folder.mkdir()
        os.link(log, folder / pathlib.Path(log).name)
        server = Server(program, folder, f"{temporary}/data")
        try:
            connection = http.client.HTTPConnection(server.address)
            application = wait_for_application(connection)
            begin, cpu = time.monotonic(), server.cpu()
            stages = json.loads(get(connection, f"{application}/stages"))
            print(f"first /stages: {time.monotonic() - begin:.2f} s, CPU {server.cpu() - cpu:.2f} s")
            largest = max(stages, key=lambda stage: stage["numTasks"])
            summary = f"{application}/stages/{largest['stageId']}/{largest['attemptId']}/taskSummary"
            for path in ("", f"{application}/stages", summary):
                measure(server, path, 1, requests)
                measure(server, path, clients, requests // 10)
            print(f"peak memory {server.peak_mib()} MiB")
        finally:
            server.stop()


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:]))
