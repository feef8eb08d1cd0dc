# SPDX-License-Identifier: Apache-2.0
"""A collector with its catalogue in ClickHouse: in two shards of Debian's release, and in the engine of a current one."""

import json
import os
import shutil
import unittest
import urllib.request

from clickhouse_replicas import Replicas, shards
from collector import Collector
from small_logs import event_log
from support import CACHE, REPOSITORY, TestCase, execute, slow, sparkprof, wait_until


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

    def test_nodes_on_one_store_share_the_catalogue_and_each_entry_is_made_once(self):
        self.start_shards()
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.ports[1::3])
        options = ("--catalogue", f"clickhouse://{hosts}/sparkprof?cluster=two")
        nodes = [self.enter(Collector(f"file://{self.folder / 'store'}", *options)) for _ in range(2)]
        for node in nodes:
            wait_until(
                lambda node=node: [each["status"] for each in node.health().json()["nodes"]["others"]] == ["alive"], "the other node"
            )
        applications = [f"app-{number}" for number in range(6)]
        for number, application in enumerate(applications):
            self.push(nodes[number % 2], application)
        for node in nodes:
            node.wait_for_ids(*applications)
        self.assertEqual(nodes[0].applications(), nodes[1].applications())
        self.assertEqual(self.entries(), len(applications))
        nodes[0].kill()
        self.push(nodes[1], "app-6")
        nodes[1].wait_for_ids(*applications, "app-6")
        third = self.enter(Collector(f"file://{self.folder / 'store'}", *options))
        third.wait_for_ids(*applications, "app-6")
        self.assertEqual(self.entries(), len(applications) + 1)
        store = ["--store", f"file://{self.folder / 'store'}", *options]
        self.assertEqual(sparkprof("collector", "verify", *store).stdout, "no problems found\n")
        self.assertEqual(json.loads(sparkprof("collector", "status", *store, "--json").stdout)["catalogue"], "up to date")

    def entries(self):
        """How often an entry was written."""
        total = 0
        for port in self.ports[1::3]:
            query = "SELECT name FROM system.databases WHERE name LIKE 'sparkprof%'"
            database = self.select(port, query)
            total += int(self.select(port, f"SELECT count(DISTINCT entry) FROM {database}.stages_shard"))
        return total

    @staticmethod
    def select(port, query):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", query.encode()) as answer:
            return answer.read().decode().strip()


@slow("a cluster of four ClickHouse servers and ZooKeeper is")
class ReplicasTest(TestCase):
    def test_lists_go_on_without_one_replica_of_each_shard(self):
        cluster = self.enter(Replicas(self.folder / "clickhouse", 2))
        hosts = ",".join(f"127.0.0.1:{port}" for port in cluster.http_ports)
        with Collector(self.folder / "data", "--catalogue", f"clickhouse://{hosts}/sparkprof?cluster=two") as server:
            self.push(server, range(6))
            for row in (0, 2):
                cluster.kill(row)
            self.push(server, range(6, 12))
            server.wait_for_ids(*(f"app-{number}" for number in range(12)))

    def push(self, server, numbers):
        for number in numbers:
            (self.folder / f"app-{number}").write_bytes(event_log(f"app-{number}"))
            server.push(self.folder / f"app-{number}")


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
