# SPDX-License-Identifier: Apache-2.0
"""Servers that share a store: each shows what any of them has acknowledged, whichever of them dies."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import tempfile
import time

from cloud_stores import Azurite, GoogleStorage
from collector import API, Collector, pushed
from hadoop_cluster import HadoopCluster
from seaweed import Seaweed
from small_logs import event_log
from support import DEADLINE, SPARKPROF, TestCase, blocks_of, execute, slow, sparkprof, wait_until

SECONDS = 5  # until every node shows what one has acknowledged


class SharedStoreTest(TestCase):
    def setUp(self):
        super().setUp()
        self.store = f"file://{self.folder / 'store'}"
        self.environment = {}

    def node(self, *options, **more):
        return self.enter(Collector(self.store, *options, environment=self.environment, **more))

    def recording(self, application):
        """The blocks of an application of ada with one stage."""
        log = self.folder / f"{application}.log"
        log.write_bytes(event_log(application))
        return pushed(self.folder / f"data-{application}", log)

    def profile(self, application):
        """The same with samples."""
        path = self.folder / f"{application}.folded"
        path.write_text("main;work 70\nmain;wait 30\n")
        return pushed(self.folder / f"data-{application}", path)

    def wait_for(self, server, *applications):
        begin = time.monotonic()
        server.wait_for_ids(*applications)
        return time.monotonic() - begin

    def stages(self, server):
        """The stages of app-1, which Spark's API has as soon as the server has opened the application."""
        wait_until(lambda: server.spark("/app-1/stages").status == 200, "the application")
        return server.spark("/app-1/stages").json()

    def test_a_block_sent_to_one_node_is_listed_and_drawn_by_the_other(self):
        a, b = self.node(), self.node()
        self.assertEqual(a.post(self.recording("app-1")).status, 200)
        for server in (a, b):
            self.assertLess(self.wait_for(server, "app-1"), SECONDS)
        for path in ("/applications/app-1", "/applications/app-1/findings", "/applications/app-1/report"):
            mine, others = (server.get(path) for server in (a, b))
            self.assertEqual((mine.status, others.status), (200, 200), path)
        self.assertEqual(a.get("/applications/app-1").json(), b.get("/applications/app-1").json())
        self.assertEqual(a.spark("/app-1/stages").json(), b.spark("/app-1/stages").json())

    def test_a_profile_sent_to_one_node_has_the_same_flame_graph_on_the_other(self):
        a, b = self.node(), self.node()
        self.assertEqual(b.post(self.profile("jfr")).status, 200)
        wait_until(lambda: len(a.applications()) == 1 and len(b.applications()) == 1, "the profile")
        [row] = a.applications()
        flames = [server.get(f"/applications/{row['id']}/flame", format="collapsed") for server in (a, b)]
        self.assertEqual(flames[0].body, flames[1].body)
        self.assertIn(b"work", flames[0].body)

    def test_what_a_killed_node_acknowledged_is_on_the_others_and_on_its_successor(self):
        a, b = self.node(), self.node()
        applications = [f"app-{number}" for number in range(5)]
        for application in applications:
            self.assertEqual(a.post(self.recording(application)).status, 200)
        a.kill()
        self.wait_for(b, *applications)
        b.kill()
        self.wait_for(self.node(), *applications)

    def test_a_block_that_is_sent_to_all_nodes_counts_once(self):
        nodes = [self.node() for _ in range(3)]
        blocks = blocks_of(self.recording("app-1"))
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(lambda turn: nodes[turn % 3].post(blocks[turn // 3 % len(blocks)]).status, range(12 * len(blocks))))
        self.assertEqual(set(answers), {200})
        for node in nodes:
            self.wait_for(node, "app-1")
        alone = self.enter(Collector(self.folder / "alone"))
        alone.post(b"".join(blocks))
        alone.wait_for_ids("app-1")
        wanted = self.stages(alone)
        for node in nodes:
            wait_until(lambda node=node: self.stages(node) == wanted, "the stages")

    def test_nodes_agree_which_of_two_sources_was_first(self):
        admin, alice, bob = "admin-0123456789abcdef", "alice-0123456789abcdef", "bob-0123456789abcdef"
        tokens = f"admin {admin}\ningest {alice} user=alice\ningest {bob} user=bob\n"
        path = self.folder / "tokens"
        path.write_text(tokens)
        path.chmod(0o600)
        a, b = (self.node("--tokens", path, "--acls", token=admin) for _ in range(2))
        log = event_log("app-1")
        blocks = {user: self.recording_of(user, log) for user in ("alice", "bob")}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = list(
                pool.map(
                    lambda sent: (
                        sent[0]
                        .request("POST", API + "/recordings", blocks[sent[1]], {"Sparkprof-Upload-Secret": sent[1] * 20}, token=sent[2])
                        .status
                    ),
                    [(a, "alice", alice), (b, "bob", bob)],
                )
            )
        self.assertEqual(answers, [200, 200])
        for server in (a, b):
            wait_until(lambda server=server: len(server.applications()) == 2, "both entries")
        names = [{row["id"]: row["user"] for row in server.applications()} for server in (a, b)]
        self.assertEqual(names[0], names[1])
        self.assertEqual(set(names[0].values()), {"alice", "bob"})
        self.assertIn("app-1", names[0])

    def recording_of(self, user, log):
        path = self.folder / f"{user}.log"
        path.write_bytes(log.replace(b'"User":"ada"', f'"User":"{user}"'.encode()))
        return pushed(self.folder / f"data-{user}", path)

    def test_the_configuration_of_a_group_changes_on_all_nodes(self):
        a, b = self.node(), self.node()
        body = {"configuration": {"cpu.interval": "20ms"}}
        self.assertEqual(a.request("PUT", f"{API}/groups/etl/configuration", body).status, 200)
        wait_until(lambda: b.get("/groups/etl/configuration").json()["configuration"] == body["configuration"], "the configuration")

    def test_a_node_without_its_store_is_alive_but_not_ready_and_takes_nothing(self):
        a = self.node()
        wait_until(lambda: a.request("GET", "/readyz").status == 200, "a node that is ready")
        moved = self.folder / "moved"
        (self.folder / "store").rename(moved)
        wait_until(lambda: a.request("GET", "/readyz").status == 503, "a node that is not ready")
        self.assertEqual(a.request("GET", "/livez").status, 200)
        self.assertEqual(a.post(self.recording("app-1")).status, 503)
        shutil.rmtree(self.folder / "store", ignore_errors=True)
        moved.rename(self.folder / "store")
        wait_until(lambda: a.request("GET", "/readyz").status == 200, "a node that is ready again")
        self.assertEqual(a.post(self.recording("app-1")).status, 200)
        self.wait_for(self.node(), "app-1")

    def test_what_a_node_acknowledged_locally_survives_its_death_while_the_store_is_away(self):
        scratch, store, moved = self.folder / "scratch", self.folder / "store", self.folder / "moved"
        node = self.node("--ack", "local", "--scratch", scratch)

        def send(second):
            path = f"/ingest?name=shop&from={1_700_000_000 + second}&until={1_700_000_001 + second}&format=folded"
            return node.request("POST", path, f"main;work{second} 1\n".encode()).status

        self.assertEqual(send(0), 200)
        wait_until(lambda: list((store / "blocks").rglob("0*")), "the first block in the store")
        store.rename(moved)
        self.assertEqual([send(second) for second in (1, 2, 3)], [200] * 3)
        node.kill()
        shutil.rmtree(store, ignore_errors=True)
        moved.rename(store)
        other = self.node()
        self.assertEqual(self.stacks_of_shop(other), ["work0"])
        # The next server with the folder writes them, whatever its own option is.
        self.node("--scratch", scratch)
        wait_until(lambda: self.stacks_of_shop(other) == ["work0", "work1", "work2", "work3"], "the blocks on the other node")
        self.assertEqual(sorted(path.name for path in (scratch / "unwritten").iterdir()), ["tmp"])

    def stacks_of_shop(self, server):
        rows = wait_until(server.applications, "the profile")
        flame = server.get(f"/applications/{rows[0]['id']}/flame", format="collapsed").body.decode()
        return sorted(line.split(";")[-1].split()[0] for line in flame.splitlines())

    def nodes_that_see_each_other(self, *options, **more):
        nodes = [self.node(*options, **more) for _ in range(2)]
        for server in nodes:
            wait_until(lambda server=server: self.others(server) == ["alive"], "the other node")
        return nodes

    def others(self, server):
        return [other["status"] for other in server.health().json()["nodes"]["others"]]

    def status_of_known_report(self, server, other):
        """A live page asks like this."""
        path = f"{API}/applications/app-1/report"
        tag = other.request("GET", path).headers["ETag"]
        return server.request("GET", path, headers={"If-None-Match": tag}).status

    def answered_by_others(self, server):
        return server.health().json()["nodes"]["answeredByOthers"]

    def test_one_node_answers_for_an_application_and_after_its_death_another(self):
        nodes = self.nodes_that_see_each_other()
        nodes[0].post(self.recording("app-1"))
        for server in nodes:
            self.wait_for(server, "app-1")
        # On a busy machine, a node may look silent for a moment.
        wait_until(
            lambda: [self.stages(server) for server in nodes] and any(map(self.answered_by_others, nodes)), "an answer by another node"
        )
        owner, other = sorted(nodes, key=self.answered_by_others)
        self.assertEqual(self.answered_by_others(owner), 0)
        self.assertGreaterEqual(owner.health().json()["nodes"]["answeredForOthers"], self.answered_by_others(other))
        wanted = owner.get("/applications/app-1").json()
        self.assertEqual(other.get("/applications/app-1").json(), wanted)
        wait_until(lambda: self.status_of_known_report(other, owner) == 304, "the report with the same tag on both nodes")
        self.assertEqual(other.spark("/app-1/stages").json(), owner.spark("/app-1/stages").json())
        answered = self.answered_by_others(other)
        owner.kill()
        self.assertEqual(other.get("/applications/app-1").json(), wanted)
        self.assertEqual(other.get("/applications/app-1/report").status, 200)
        self.assertEqual(self.answered_by_others(other), answered)
        wait_until(lambda: self.others(other) == ["gone"], "the death of the other node")

    def test_a_request_that_another_node_passes_on_reads_what_its_user_may_read(self):
        admin = "admin-0123456789abcdef"
        path = self.folder / "tokens"
        path.write_text(f"admin {admin}\n")
        path.chmod(0o600)
        # The proxy has an address of its own, which the other node must get to know.
        options = ("--tokens", path, "--acls", "--user-header", "X-User", "--trusted-proxy", "127.0.0.2")
        nodes = self.nodes_that_see_each_other(*options, token=admin)
        applications = [f"app-{number}" for number in range(4)]
        for application in applications:
            nodes[0].post(self.recording(application))
        for server in nodes:
            self.wait_for(server, *applications)
            for application in applications:
                seen = {user: self.through_proxy(server, application, admin, user) for user in ("ada", "bob")}
                self.assertEqual(seen, {"ada": 200, "bob": 403})
        forged = {"Sparkprof-Forwarded": f"127.0.0.2 {'0' * 64}", "X-User": "ada"}
        for server in nodes:
            self.assertEqual(server.request("GET", f"{API}/applications/app-0", headers=forged).status, 401)

    def through_proxy(self, server, application, token, user):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE, source_address=("127.0.0.2", 0))
        with contextlib.closing(connection):
            headers = {"Authorization": f"Bearer {token}", "X-User": user}
            connection.request("GET", f"{API}/applications/{application}", headers=headers)
            return connection.getresponse().status

    @slow("The removal of applications, which takes a minute, is")
    def test_a_removed_application_is_gone_on_all_nodes_and_stays_away(self):
        a = self.node("--keep", "2s")
        b = self.node()
        self.assertEqual(b.post(self.recording("app-1")).status, 200)
        wait_until(lambda: "app-1" in a.statuses(), "the application")
        for server in (a, b):
            server.wait_for(lambda rows: not rows, "no application")
        c = self.node()
        wait_until(lambda: c.request("GET", "/readyz").status == 200, "a new node")
        self.assertEqual(c.applications(), [])

    def test_a_scratch_folder_is_used_again_and_belongs_to_one_store(self):
        scratch = self.folder / "scratch"
        with Collector(self.store, "--scratch", scratch) as server:
            server.post(self.recording("app-1"))
            self.wait_for(server, "app-1")
        with Collector(self.store, "--scratch", scratch) as server:
            self.wait_for(server, "app-1")
        other = execute(
            SPARKPROF, "serve", "--store", f"file://{self.folder / 'other'}", "--scratch", scratch, "--listen", "127.0.0.1:0", code=2
        )
        self.assertIn("is the copy of another store", other.stderr)

    def test_a_data_folder_moves_to_a_store_once(self):
        data = self.folder / "data"
        with Collector(data) as server:
            for application in ("app-1", "app-2"):
                server.post(self.recording(application))
            server.wait_for_ids("app-1", "app-2")
            server.request("PUT", f"{API}/groups/etl/configuration", {"configuration": {"cpu.interval": "20ms"}})
            wanted = self.stages(server)
        for _ in range(2):
            moved = sparkprof("collector", "move", "--data", data, "--store", self.store)
            self.assertRegex(moved.stderr, r"moved 2 applications in \d+ objects?, ")
        node = self.node()
        self.wait_for(node, "app-1", "app-2")
        self.assertEqual(self.stages(node), wanted)
        self.assertEqual(node.get("/groups/etl/configuration").json()["configuration"], {"cpu.interval": "20ms"})
        self.assertEqual(node.post((next((data / "recordings" / "app-1").iterdir())).read_bytes()).json()["duplicates"] > 0, True)

    def test_status_verify_and_export_read_a_store_in_use(self):
        node = self.node()
        node.post(self.recording("app-1"))
        status = json.loads(sparkprof("collector", "status", "--store", self.store, "--json").stdout)
        self.assertEqual(status["applications"], 1)
        self.assertEqual(sparkprof("collector", "verify", "--store", self.store).stdout, "no problems found\n")
        tables = self.folder / "tables"
        sparkprof("collector", "export", "--store", self.store, "--parquet-dir", tables)
        self.assertTrue((tables / "applications.parquet").exists())
        for path in pathlib.Path(self.folder / "store" / "blocks").rglob("0*"):
            path.chmod(0o600)
            path.write_bytes(path.read_bytes()[:-20])
        damaged = sparkprof("collector", "verify", "--store", self.store, code=1)
        self.assertIn("truncated", damaged.stderr)

    def test_a_place_without_a_store_is_not_made_one(self):
        for action in ("status", "verify"):
            failed = sparkprof("collector", action, "--store", f"{self.store}-of-nobody", code=2)
            self.assertIn("store-of-nobody", failed.stderr)
        self.assertFalse((self.folder / "store-of-nobody").exists())


@slow("Servers that share a bucket are")
class SeaweedStoreTest(SharedStoreTest):
    """The same on S3."""

    def setUp(self):
        super().setUp()
        self.store, self.environment = self.start_store()

    def start_store(self):
        return "s3://bucket/sparkprof", self.enter(Seaweed(self.folder / "seaweed")).environment

    # These need the folder of a store, or the environment of this process.
    test_what_a_node_acknowledged_locally_survives_its_death_while_the_store_is_away = None
    test_a_node_without_its_store_is_alive_but_not_ready_and_takes_nothing = None
    test_a_scratch_folder_is_used_again_and_belongs_to_one_store = None
    test_a_data_folder_moves_to_a_store_once = None
    test_status_verify_and_export_read_a_store_in_use = None
    test_a_place_without_a_store_is_not_made_one = None


@slow("Servers that share a container of Azure are")
class AzureStoreTest(SeaweedStoreTest):
    def start_store(self):
        (self.folder / "content").mkdir()
        azurite = self.enter(Azurite(self.folder / "azurite", self.folder / "content"))
        return f"{azurite.location}/sparkprof", azurite.environment


@slow("Servers that share a bucket of Google are")
class GoogleStoreTest(SeaweedStoreTest):
    def start_store(self):
        self.google = self.enter(GoogleStorage())
        return f"{self.google.location}/sparkprof", self.google.environment

    def test_a_store_that_ignores_conditions_is_refused(self):
        options = ("--store", self.store, "--listen", "127.0.0.1:0")
        environment = os.environ | {"STORAGE_EMULATOR_HOST": self.google.url}
        refused = execute(SPARKPROF, "serve", *options, env=environment, code=2)
        self.assertIn("it must create objects only if they do not exist", refused.stderr)


@slow("Servers that share a folder of HDFS are")
class HdfsStoreTest(SeaweedStoreTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory(prefix="sparkprof-e2e-", ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.hadoop = HadoopCluster(folder.name, yarn=False)
        cls.addClassCleanup(cls.hadoop.close)

    def start_store(self):
        return f"{self.hadoop.webhdfs}/{self.id()}", {}
