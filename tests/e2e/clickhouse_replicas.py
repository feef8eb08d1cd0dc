# SPDX-License-Identifier: Apache-2.0
"""A real ClickHouse cluster with two replicas of each shard, which ZooKeeper (from Spark's jars) coordinates."""

import contextlib
import shutil
import socket
import subprocess
import unittest

from spark_jobs import Spark
from support import bench_module, wait_until

shards = bench_module("clickhouse_shards")

SHARD = """<shard><internal_replication>true</internal_replication>
<replica><host>127.0.0.1</host><port>{}</port></replica><replica><host>127.0.0.1</host><port>{}</port></replica></shard>"""
OWN = """<zookeeper><node><host>127.0.0.1</host><port>{}</port></node></zookeeper>
<macros><shard>{}</shard><replica>{}</replica></macros>"""


def accepts(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


class Replicas:
    """Servers 0 and 1 are the replicas of the first shard of the cluster "two", and so on. Use as a context manager."""

    def __init__(self, folder, count):
        if not shutil.which("clickhouse-server", path="/usr/sbin:/usr/bin"):
            raise unittest.SkipTest("clickhouse-server is missing")
        folder.mkdir(parents=True)
        self.folder, self.processes = folder, [None] * (2 * count)
        self.coordinator_port = shards.free_ports(1)[0]
        ports = shards.free_ports(6 * count)
        self.ports = [ports[3 * row : 3 * row + 3] for row in range(2 * count)]
        self.cluster = "".join(SHARD.format(self.ports[row][0], self.ports[row + 1][0]) for row in range(0, 2 * count, 2))
        program = "org.apache.zookeeper.server.ZooKeeperServerMain"
        command = ["java", "-Xmx256m", "-cp", f"{Spark().home}/jars/*", program, str(self.coordinator_port), str(folder / "zookeeper")]
        with open(folder / "zookeeper.log", "wb") as log:
            self.coordinator = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            wait_until(lambda: accepts(self.coordinator_port), "ZooKeeper")
            for row in range(2 * count):
                self.start(row)
        except BaseException:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def http_ports(self):
        return [ports[1] for ports in self.ports]

    def start(self, row):
        own = OWN.format(self.coordinator_port, row // 2, row)
        self.processes[row] = shards.start(self.folder / f"server-{row}", self.ports[row], self.cluster, own)
        shards.await_ready(f"http://127.0.0.1:{self.ports[row][1]}")

    def kill(self, row):
        self.processes[row].kill()
        self.processes[row].wait()

    def stop(self):
        for process in (*self.processes, self.coordinator):
            if process is not None:
                process.kill()
                process.wait()
