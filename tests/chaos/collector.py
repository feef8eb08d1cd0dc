#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers on one S3 store under random faults: every acknowledged block is shown by every node, once.

Writers send blocks to random nodes, and again until one acknowledges them. Readers ask for lists. Meanwhile nodes are killed, their
disks are full and their clocks wrong by an hour, and between each node and the store a proxy answers 503, stalls, cuts connections, or
loses the answer to a request that the store has carried out. The nodes share a catalogue in ClickHouse, which they cannot reach at
times, or of which a replica is gone. Prints what each fault did and a table at the end; exits 1 if a block was lost or counts twice.
"""

import argparse
import collections
import contextlib
import http.client
import http.server
import json
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from clickhouse_replicas import Replicas  # noqa: E402
from collector import Collector  # noqa: E402
from seaweed import Seaweed  # noqa: E402
from support import blocks_of, free_port, wait_until  # noqa: E402

NODES = 3
LONGEST_FAULT = 8  # seconds
SETTLED = 600  # seconds after which what a node does not show is lost; a busy machine takes its time
SAMPLE = 10_000_000  # nanoseconds, at the usual rate of 100 Hz


class Proxy(http.server.ThreadingHTTPServer):
    """Between one node and the store. `fault` is a kind of Faults or None."""

    daemon_threads = True

    def __init__(self, port, seed):
        super().__init__(("127.0.0.1", 0), Forward)
        self.store, self.fault, self.random = port, None, random.Random(seed)
        self.struck = collections.Counter()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # the node was killed

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Forward(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.server.fault
        if fault != "partition" and self.server.random.random() < 0.5:
            fault = None
        if fault:
            self.server.struck[fault] += 1
        if fault == "partition":
            self.close_connection = True
            return
        if fault == "busy":
            self.answer(503, {"Retry-After": "1"}, b"<Error><Code>SlowDown</Code></Error>")
            return
        if fault == "slow":
            time.sleep(self.server.random.uniform(0.5, 3))
        store = http.client.HTTPConnection("127.0.0.1", self.server.store, timeout=30)
        with contextlib.closing(store):
            if fault == "half" and self.command == "PUT":
                store.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    store.putheader(name, value)
                store.endheaders()
                store.send(body[: len(body) // 2])
                self.close_connection = True
                return
            store.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                store.putheader(name, value)
            store.endheaders(body)
            answer = store.getresponse()
            content = answer.read()
        if fault == "lost answer":
            self.close_connection = True
            return
        kept = {name: answer.headers[name] for name in ("ETag", "Date", "Content-Type", "Content-Range") if answer.headers[name]}
        self.answer(answer.status, kept, content)

    do_GET = do_PUT = do_POST = do_DELETE = forward

    def answer(self, status, headers, body):
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


OF_STORE = ("partition", "busy", "slow", "half", "lost answer")
FAULTS = ("kill one", "kill all", "clock", "disk full", "no catalogue", "replica gone", *OF_STORE)
DISK = 256 << 20  # bytes of a node's scratch folder


def fake_time():
    """The library that changes a program's clock."""
    [*found] = pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1")
    return found[0] if found else sys.exit("chaos: libfaketime is missing: scripts/setup packages test")


class Chaos:
    def __init__(self, folder, seed):
        self.folder, self.random = folder, random.Random(seed)
        self.store = Seaweed(folder / "seaweed")
        self.proxies = [Proxy(self.store.ports["s3.port"], f"{seed}/{number}") for number in range(NODES)]
        self.clickhouse = Replicas(folder / "clickhouse", 1)
        # One per node and replica.
        self.catalogues = [[Proxy(port, seed) for port in self.clickhouse.http_ports] for _ in range(NODES)]
        self.clocks = [None] * NODES
        for number in range(NODES):
            self.disk(number).mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", self.disk(number)], check=True)
        self.ports = [free_port() for _ in range(NODES)]
        self.nodes = [None] * NODES
        self.stop = threading.Event()
        self.lock = threading.Lock()
        self.acknowledged, self.latencies, self.counts = set(), [], collections.Counter()
        for number in range(NODES):
            self.start(number)

    def disk(self, number):
        return self.folder / f"disk-{number}"

    def start(self, number):
        environment = self.store.environment | {"AWS_ENDPOINT_URL": self.proxies[number].url, "TMPDIR": str(self.folder)}
        if self.clocks[number]:
            environment |= {"LD_PRELOAD": str(fake_time()), "FAKETIME": self.clocks[number], "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        hosts = ",".join(proxy.url.removeprefix("http://") for proxy in self.catalogues[number])
        options = ("--catalogue", f"clickhouse://{hosts}/chaos?cluster=two", "--scratch", self.disk(number) / "scratch")
        while True:
            try:
                node = self.nodes[number] = Collector("s3://bucket/chaos", *options, port=self.ports[number], environment=environment)
                # A full pipe would stop the node.
                threading.Thread(target=self.log, args=(number, node.process.stderr), daemon=True).start()
                return
            except AssertionError as problem:  # the store cannot be reached: as Kubernetes would, start it again
                self.counts["starts that failed"] += 1
                print(f"node {number}: {str(problem).strip()[:200]}", flush=True)
                time.sleep(1)

    def log(self, number, stream):
        with open(self.folder / f"node-{number}.log", "a", encoding="utf-8") as file, contextlib.suppress(ValueError):
            file.writelines(stream)

    def strike(self, fault):
        number = self.random.randrange(NODES)
        seconds = self.random.uniform(1, LONGEST_FAULT)
        if fault.startswith("kill"):
            struck = range(NODES) if fault == "kill all" else [number]
            for each in struck:
                self.nodes[each].kill()
            for each in struck:
                self.start(each)
        elif fault == "clock":
            for clock in (self.random.choice(("+3600s", "-3600s")), None):
                self.clocks[number] = clock
                self.nodes[number].kill()
                self.start(number)
                time.sleep(seconds if clock else 0)
        elif fault == "disk full":
            filler = self.disk(number) / "filler"
            with contextlib.suppress(OSError), open(filler, "wb") as file:
                file.write(bytes(DISK))
            time.sleep(seconds)
            filler.unlink()
        elif fault == "replica gone":
            replica = number % 2
            self.clickhouse.kill(replica)
            time.sleep(seconds)
            self.clickhouse.start(replica)
        else:
            proxies = self.catalogues[number] if fault == "no catalogue" else [self.proxies[number]]
            for proxy in proxies:
                proxy.fault = "partition" if fault == "no catalogue" else fault
            time.sleep(seconds)
            for proxy in proxies:
                proxy.fault = None
        self.counts[fault] += 1
        print(f"{fault}: node {'s' if fault == 'kill all' else number}", flush=True)

    def end(self):
        for node in self.nodes:
            node.stop()
        self.store.stop()
        self.clickhouse.stop()
        for number in range(NODES):
            subprocess.run(["umount", self.disk(number)], check=True)

    def write(self, blocks, seed):
        generator = random.Random(seed)
        for name, block in blocks:
            while not self.stop.is_set():
                node = self.nodes[generator.randrange(NODES)]
                with contextlib.suppress(OSError, AttributeError, http.client.HTTPException):
                    if node.post(block).status == 200:
                        with self.lock:
                            self.acknowledged.add(name)
                        # Some senders do not get the answer and send again.
                        if generator.random() < 0.2:
                            self.nodes[generator.randrange(NODES)].post(block)
                        break
                time.sleep(0.1)
            time.sleep(generator.uniform(0, 0.5))
            if self.stop.is_set():
                return

    def read(self, seed):
        generator = random.Random(seed)
        while not self.stop.is_set():
            begin = time.monotonic()
            with contextlib.suppress(OSError, AttributeError, http.client.HTTPException):
                if self.nodes[generator.randrange(NODES)].get("/applications", limit=100).status == 200:
                    with self.lock:
                        self.latencies.append(time.monotonic() - begin)
            time.sleep(0.2)


def make_blocks(folder, writers, each):
    """Lists of (name, block), one for each writer; a block has one sample, and its stack has the name."""
    made, known = [], set()
    with Collector(folder) as server:
        for writer in range(writers):
            names = [f"w{writer}b{number}" for number in range(each)]
            for number, name in enumerate(names):
                start = 1_700_000_000 + number
                path = f"/ingest?name=service-{writer}&from={start}&until={start + 10}&format=folded"
                if server.request("POST", path, f"main;{name} 1\n".encode()).status != 200:
                    raise AssertionError(path)
            [new] = set(folder.rglob("*.sprof")) - known
            known.add(new)
            made.append(list(zip(names, blocks_of(new.read_bytes()), strict=True)))
    return made


def shown(node):
    """How often each block counts on a node."""
    counts = collections.Counter()
    for row in node.applications(limit=1000):
        for line in node.get(f"/applications/{row['id']}/flame", format="collapsed").body.decode().splitlines():
            if found := re.search(r"(w\d+b\d+) (\d+)$", line):
                counts[found[1]] += int(found[2]) / SAMPLE
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--writers", type=int, default=20)
    parser.add_argument("--readers", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="chaos-collector-") as name:
        sys.exit(run(pathlib.Path(name), arguments))


def run(folder, arguments):
    each = max(20, int(arguments.minutes * 60))
    made = make_blocks(folder / "made", arguments.writers, each)
    chaos = Chaos(folder, arguments.seed)
    threads = []
    for number, blocks in enumerate(made):
        threads.append(threading.Thread(target=chaos.write, args=(blocks, f"{arguments.seed}/w{number}"), daemon=True))
    for number in range(arguments.readers):
        threads.append(threading.Thread(target=chaos.read, args=(f"{arguments.seed}/r{number}",), daemon=True))
    for thread in threads:
        thread.start()
    end = time.monotonic() + arguments.minutes * 60
    faults = []
    while time.monotonic() < end:
        if not faults:
            faults = chaos.random.sample(FAULTS, len(FAULTS))
        chaos.strike(faults.pop())
        time.sleep(chaos.random.uniform(0, 2))
    chaos.stop.set()
    for thread in threads:
        thread.join(30)
    return check(chaos, made)


def check(chaos, made):
    begin = time.monotonic()
    counts = []
    while time.monotonic() - begin < SETTLED:
        counts = [shown(node) for node in chaos.nodes]
        settled = time.monotonic() - begin
        if all(chaos.acknowledged <= set(found) for found in counts) and all(found == counts[0] for found in counts):
            break
        time.sleep(0.5)
    # A node that starts with nothing.
    chaos.nodes[0].kill()
    shutil.rmtree(chaos.disk(0) / "scratch")
    chaos.start(0)
    with contextlib.suppress(AssertionError):
        is_ready = lambda: chaos.nodes[0].request("GET", "/readyz").status == 200
        wait_until(lambda: is_ready() and shown(chaos.nodes[0]) == counts[1], "the same lists", SETTLED)
    counts.append(shown(chaos.nodes[0]))
    lost = max(len(chaos.acknowledged - set(found)) for found in counts)
    twice = max(sum(count > 1 for count in found.values()) for found in counts)
    latencies = sorted(chaos.latencies) or [0]
    struck = collections.Counter()
    for proxy in chaos.proxies:
        struck.update(proxy.struck)
    rows = {
        "blocks made": sum(map(len, made)),
        "blocks acknowledged": len(chaos.acknowledged),
        "acknowledged blocks lost": lost,
        "blocks counted twice": twice,
        "nodes agree": all(found == counts[0] for found in counts),
        "seconds until lists are right": round(settled, 1),
        "lists read": len(latencies),
        "list p50, p99 (ms)": f"{statistics.median(latencies) * 1000:.0f}, {latencies[int(len(latencies) * 0.99)] * 1000:.0f}",
        "faults": json.dumps(dict(chaos.counts)),
        "requests struck": json.dumps(dict(struck)),
    }
    for name, value in rows.items():
        print(f"{name:32} {value}")
    chaos.end()
    return 1 if lost or twice or not rows["nodes agree"] else 0


if __name__ == "__main__":
    main()
