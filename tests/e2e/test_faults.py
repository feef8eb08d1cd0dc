# SPDX-License-Identifier: Apache-2.0
"""Effects of disks, clocks and other programs on a collector: it shows the state, and everything else goes on."""

import gzip
import os
import random
import re
import subprocess
import time

from collector import Collector, pushed
from small_logs import event_log
from support import ROUNDS, SPARKPROF, TestCase, wait_until

YEAR = 365 * 86400


class FaultsTest(TestCase):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.logs = self.folder / "logs"
        self.logs.mkdir()

    def write_log(self, name, content, modified=None):
        (self.logs / name).write_bytes(content)
        if modified is not None:
            os.utime(self.logs / name, (modified, modified))

    def recorded(self, application):
        (self.folder / application).write_bytes(event_log(application))
        return pushed(self.folder / "made", self.folder / application)

    def test_damaged_logs_and_wrong_clocks_hide_no_other_log(self):
        whole, now = event_log("app-x"), time.time()
        running = event_log("app-x", options=())
        running = running[: running.rindex(b"\n", 0, -1) + 1]  # without its end

        def log(application, content=whole):
            return content.replace(b"app-x", application.encode())

        self.write_log("good", log("good"))
        self.write_log("future", log("future"), now + YEAR)
        self.write_log("past", log("past"), -YEAR)
        self.write_log("future.inprogress", log("goes-on", running), now + YEAR)
        self.write_log("later", log("later").replace(b"17000000", b"92233720368547"))
        self.write_log("half", log("half")[: len(whole) // 3])
        self.write_log("crashed", log("crashed", running) + bytes(5000))
        self.write_log("cut.gz", gzip.compress(log("cut"))[:-40])
        self.write_log("empty", b"")
        self.write_log("random", random.Random(1).randbytes(5000))
        self.write_log("damaged.zstd", b"\x28\xb5\x2f\xfd" + random.Random(2).randbytes(500))
        os.mkfifo(self.logs / "pipe")
        recording = bytearray(self.recorded("recorded"))
        self.write_log("good.sprof", recording)
        recording[len(recording) // 2] ^= 1
        self.write_log("damaged.sprof", recording)
        finished, incomplete = ("good", "future", "past", "later", "recorded"), ("half", "crashed", "cut")
        expected = {"goes-on": "running"} | dict.fromkeys(finished, "finished") | dict.fromkeys(incomplete, "incomplete")
        with Collector(self.data, "--watch", self.logs) as server:
            wait_until(lambda: server.statuses() == expected, "all applications")
            state = server.folder()
            self.assertEqual((state["status"], state["unreadable"]), ("ok", 2), state)
            self.assertTrue(any("damaged.zstd" in example for example in state["examples"]), state)
            self.assertTrue(any("wrong checksum" in example for example in state["examples"]), state)
            for application in expected:
                self.assertEqual(server.get(f"/applications/{application}").status, 200, application)

    def test_an_application_with_an_event_log_and_recordings_is_one_entry(self):
        recording = self.recorded("app-1")
        self.write_log("app-1", event_log("app-1"))
        self.write_log("app-1.sprof", recording)
        with Collector(self.data, "--watch", self.logs) as server:
            server.post(recording)
            server.wait_for(lambda rows: [row["tasks"] for row in rows] == [3], "one entry with the tasks of both")
            self.assertEqual(server.get("/applications/app-1").json()["counts"]["tasks"], 3)
            listed = server.spark("").json()
            self.assertEqual([(row["id"], len(row["attempts"])) for row in listed], [("app-1", 1)])
            self.assertEqual(len(server.spark("/app-1/jobs").json()), 1)

    def test_a_damaged_catalogue_is_made_anew_at_the_start(self):
        recording = self.recorded("app-1")
        with Collector(self.data) as server:
            server.post(recording)
            server.wait_for(lambda rows: len(rows) == 1, "the application")
        catalogue = self.data / "catalogue.duckdb"
        catalogue.write_bytes(catalogue.read_bytes()[: catalogue.stat().st_size // 3])
        with Collector(self.data) as server:
            server.wait_for(lambda rows: len(rows) == 1, "the application again")
            self.assertEqual(server.health().status, 200)
            server.process.terminate()
            self.assertIn("rebuilding the catalogue", server.process.stderr.read())

    def test_killed_senders_leave_nothing_half_stored_and_nothing_twice(self):
        applications = [f"app-{number}" for number in range(4)]
        for application in applications:
            (self.folder / application).write_bytes(event_log(application))
        paths = [self.folder / application for application in applications]

        def answers(server):
            # An answer may be of a moment between two blocks, and stay for a while.
            def now():
                return {application: server.get(f"/applications/{application}").json() for application in applications}

            wait_until(lambda: sum(answer["recording"]["blocks"] for answer in now().values()) >= blocks, "all blocks")
            return now()

        with Collector(self.folder / "whole") as server:
            sent = server.push(*paths).stderr
            blocks = int(re.search(r"sent (\d+) blocks", sent)[1])
            whole = answers(server)
        with Collector(self.data) as server:
            for _ in range(ROUNDS):
                sender = subprocess.Popen([SPARKPROF, "push", *paths, "--server", server.url], stderr=subprocess.DEVNULL)
                time.sleep(random.uniform(0, 0.1))  # the moment of the kill
                sender.kill()
                sender.wait()
            server.push(*paths)
            self.assertEqual(answers(server), whole)

    def test_files_of_the_page_are_compressed_and_known_by_their_hash(self):
        with Collector(self.data) as server:
            compressed = server.request("GET", "/assets/server.js", headers={"Accept-Encoding": "gzip"})
            self.assertEqual(compressed.headers["Content-Encoding"], "gzip")
            self.assertEqual(compressed.body, server.request("GET", "/assets/server.js").body)
            self.assertEqual(server.request("GET", "/assets/server.js", headers={"If-None-Match": compressed.headers["ETag"]}).status, 304)
