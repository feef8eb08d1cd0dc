# SPDX-License-Identifier: Apache-2.0
"""A collector with its catalogue in ClickHouse: in two shards of Debian's release, and in the engine of a current one."""

import os
import shutil
import unittest

from collector import Collector
from small_logs import event_log
from support import CACHE, REPOSITORY, TestCase, bench_module, execute, slow, wait_until

shards = bench_module("clickhouse_shards")


@unittest.skipUnless(shutil.which("clickhouse-server", path="/usr/sbin:/usr/bin"), "clickhouse-server is missing")
class ClickhouseTest(TestCase):
    def setUp(self):
        super().setUp()
        self.ports = shards.free_ports(6)
        self.servers = []
        self.addCleanup(self.stop_shards)

    def start_shards(self):
        cluster = "".join(shards.SHARD.format(port) for port in self.ports[::3])
        self.servers = [shards.start(self.folder / f"shard-{row}", self.ports[3 * row : 3 * row + 3], cluster) for row in range(2)]
        for port in self.ports[1::3]:
            shards.await_ready(f"http://127.0.0.1:{port}")

    def stop_shards(self):
        for server in self.servers:
            server.kill()
            server.wait()
        self.servers = []

    def push(self, server, application):
        (self.folder / application).write_bytes(event_log(application))
        server.push(self.folder / application)

    def test_what_is_sent_while_both_shards_are_away_is_listed_when_they_are_back(self):
        self.start_shards()
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.ports[1::3])
        with Collector(self.folder / "data", "--catalogue", f"clickhouse://{hosts}/sparkprof?cluster=two") as server:
            self.push(server, "app-1")
            server.wait_for_ids("app-1")
            self.stop_shards()
            refused = server.get("/applications")
            self.assertEqual((refused.status, refused.json()["error"]["code"]), (503, "unavailable"))
            self.assertTrue(refused.headers["Retry-After"])
            self.push(server, "app-2")
            self.assertEqual(server.get("/applications/app-2").json()["counts"]["tasks"], 3)
            wait_until(lambda: server.health().status == 503, "the problem")
            self.assertIn("cannot connect", " ".join(server.health().json()["problems"]))
            self.start_shards()
            server.wait_for_ids("app-1", "app-2")
            wait_until(lambda: server.health().status == 200, "the end of the problem")


@slow("a current release of ClickHouse is")
class CurrentClickhouseTest(TestCase):
    def engine(self):
        """The address of its server."""
        python = CACHE / "chdb" / "bin" / "python"
        if not python.exists():
            self.skipTest("chdb is missing: scripts/setup chdb")
        command = [python, REPOSITORY / "tests" / "e2e" / "current_clickhouse.py", self.folder / "engine"]
        process = self.start(*command)
        return wait_until(lambda: process.poll() or self.printed("stdout").strip(), "its address")

    def test_the_contract_of_catalogues_holds(self):
        contract = REPOSITORY / "build" / os.environ.get("PRESET", "release") / "src" / "catalogue" / "catalogue_test"
        if not contract.exists():
            self.skipTest(f"{contract} is missing: make build-tests")
        ran = execute(contract, "--gtest_filter=*/GivenClickHouse", env=os.environ | {"SPARKPROF_TEST_CLICKHOUSE": self.engine()})
        self.assertNotIn("SKIPPED", ran.stdout)
        self.assertRegex(ran.stdout, r"PASSED  \] [1-9]")

    def test_a_collector_lists_what_it_gets(self):
        catalogue = f"clickhouse://{self.engine().removeprefix('http://')}/sparkprof"
        with Collector(self.folder / "data", "--catalogue", catalogue) as server:
            (self.folder / "app-1").write_bytes(event_log("app-1"))
            server.push(self.folder / "app-1")
            server.wait_for_ids("app-1")
            self.assertEqual(server.get("/groups").json()["groups"][0]["applications"], 1)
