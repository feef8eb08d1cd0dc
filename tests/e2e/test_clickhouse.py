# SPDX-License-Identifier: Apache-2.0
"""A collector whose catalogue is in two real shards of ClickHouse."""

import importlib.util
import shutil
import unittest

from collector import Collector
from support import REPOSITORY, TestCase, sparkprof, wait_until
from test_watch import event_log

_spec = importlib.util.spec_from_file_location("clickhouse_shards", REPOSITORY / "bench" / "clickhouse_shards.py")
shards = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(shards)


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
        sparkprof("push", self.folder / application, "--server", server.url)

    def listed(self, server, *applications):
        wait_until(
            lambda: server.get("/applications").status == 200 and {row["id"] for row in server.applications()} == set(applications),
            f"{applications} in the list",
        )

    def test_what_is_sent_while_both_shards_are_away_is_listed_when_they_are_back(self):
        self.start_shards()
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.ports[1::3])
        with Collector(self.folder / "data", "--catalogue", f"clickhouse://{hosts}/sparkprof?cluster=two") as server:
            self.push(server, "app-1")
            self.listed(server, "app-1")
            self.stop_shards()
            refused = server.get("/applications")
            self.assertEqual((refused.status, refused.json()["error"]["code"]), (503, "unavailable"))
            self.assertTrue(refused.headers["Retry-After"])
            self.push(server, "app-2")
            self.assertEqual(server.get("/applications/app-2").json()["counts"]["tasks"], 3)
            wait_until(lambda: server.request("GET", "/healthz").status == 503, "the problem")
            self.assertIn("cannot connect", " ".join(server.request("GET", "/healthz").json()["problems"]))
            self.start_shards()
            self.listed(server, "app-1", "app-2")
            wait_until(lambda: server.request("GET", "/healthz").status == 200, "the end of the problem")


if __name__ == "__main__":
    unittest.main()
