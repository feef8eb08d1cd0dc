# SPDX-License-Identifier: Apache-2.0
"""The data of a collector over time: checked, repaired, compacted, removed by age and size, and told about."""

import ast
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import subprocess
import threading
import time
import urllib.request

from collector import API, Collector, pushed
from http_stub import Receiver
from small_logs import made_log
from spark_jobs import Spark
from support import (
    DEADLINE,
    REPOSITORY,
    ROUNDS,
    SLOW,
    SPARKPROF,
    TestCase,
    blocks_of,
    execute,
    free_port,
    json_of,
    slow,
    sparkprof,
    wait_until,
)

WRITERS, READERS = (200, 50) if SLOW else (8, 2)  # clients at once
START = 170_000  # first digits of the event logs' times
DAY = 86400


class StoreTest(TestCase):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"

    def event_log(self, application, *groups, later=0):
        """A file with the event log of an application, as tests/cases/event_log.py makes them; `later` in steps of 10,000 s."""
        log = made_log(*(groups or ["4 duration=1000"]), application=application)
        path = self.folder / f"{application}.log"
        path.write_bytes(log.replace(b"%d" % START, b"%d" % (START + later)))
        return path

    def push(self, server, *applications):
        for application in applications:
            server.push(self.event_log(application))

    def store(self, *arguments, **options):
        return sparkprof("collector", *arguments, "--data", self.data, **options)

    def json_of_store(self, *arguments, **options):
        return json_of("collector", *arguments, "--data", self.data, **options)

    def sizes(self):
        return sum((self.data / "recordings" / name).stat().st_size for name in self.files())

    def assert_sound(self):
        self.assertEqual(self.store("verify").stdout, "no problems found\n")

    def recorded(self, application):
        """The contents of an application's folder, whatever files they are in."""
        info = json_of("info", self.data / "recordings" / application)
        return {key: value for key, value in info.items() if key != "recording"}

    def kill_while_it_opens(self, server, application, other):
        """Ends the server as a defect of a reader or the kernel would: at once, when the recording has its mark. The cache of the
        server has room for one of the two applications only, so that each request opens one again."""
        mark = rf"o \d [0-9a-f]{{16}} \d+ {application}[\x1f\0]".encode()

        def request():
            with contextlib.suppress(OSError, http.client.HTTPException):
                while True:
                    server.get(f"/applications/{other}")
                    server.get(f"/applications/{application}")

        requests = threading.Thread(target=request)
        requests.start()
        try:
            deadline = time.monotonic() + DEADLINE  # the mark is there for a moment only
            while not re.search(mark, (self.data / "opening").read_bytes()):
                self.assertLess(time.monotonic(), deadline, "the recording is not opened")
                time.sleep(0.001)
        finally:
            server.kill()
            requests.join()

    def catalogue_is_current(self):
        """After a server's start, which brings entries up to date at once."""
        with Collector(self.data) as server:
            wait_until(lambda: "sparkprof_catalogue_waiting_applications 0\n" in server.metrics(), "the catalogue")
        return self.json_of_store("status")["behind"] == 0

    def files(self):
        return sorted(str(path.relative_to(self.data / "recordings")) for path in self.data.rglob("*.sprof"))

    def wait_for_files(self, server):
        """Until a server that starts has found its recordings."""
        line = f"sparkprof_recording_files {len(self.files())}\n"
        wait_until(lambda: line in server.metrics(), "the files")

    def age(self, application, seconds):
        for path in (self.data / "recordings" / application).iterdir():
            os.utime(path, (time.time() - seconds,) * 2)

    def filled(self, *applications):
        with Collector(self.data) as server:
            self.push(server, *applications)
            server.wait_for(lambda rows: len(rows) == len(applications), "the applications")

    def test_a_recording_that_ends_the_server_twice_is_set_aside(self):
        with Collector(self.data, "--cache", "1m") as server:
            self.push(server, "app-small")
            # Opening it takes a while.
            server.push(self.event_log("app-large", "100000 duration=1000"))
            self.kill_while_it_opens(server, "app-large", "app-small")
        with Collector(self.data, "--cache", "1m") as server:
            self.assertEqual(server.health().json()["warnings"], [])
            # Before it has found all files, it opens a part of them.
            self.wait_for_files(server)
            self.kill_while_it_opens(server, "app-large", "app-small")
        for _ in range(2):
            with Collector(self.data) as server:
                self.wait_for_files(server)
                health = server.health()
                self.assertEqual(health.status, 200, health.body)
                [line] = health.json()["warnings"]
                self.assertIn("app-large: set aside", line)
                self.assertEqual(server.get("/applications/app-small").status, 200)
                refused = server.get("/applications/app-large")
                self.assertEqual((refused.status, "set aside" in refused.json()["error"]["message"]), (503, True), refused.body)
        (self.data / "opening").unlink()
        with Collector(self.data) as server:
            server.wait_for(lambda rows: {row["id"] for row in rows} == {"app-small", "app-large"}, "both applications")
            self.assertEqual(server.health().json()["warnings"], [])

    def test_status_counts_what_is_there(self):
        self.filled("a", "b")
        self.store("rebuild")
        status = self.json_of_store("status")
        self.assertEqual((status["applications"], status["behind"], status["catalogue"]), (2, 0, "up to date"))
        self.assertEqual(status["files"], len(self.files()))
        self.assertEqual(status["bytes"], self.sizes())
        self.assertEqual([(group["name"], group["applications"]) for group in status["groups"]], [("etl", 2)])
        (self.data / "catalogue.duckdb").unlink()
        self.assertIn("missing", self.json_of_store("status")["catalogue"])

    def test_verify_finds_damage_and_a_catalogue_that_differs_and_rebuild_mends_it(self):
        self.filled("a", "b", "c")
        self.store("rebuild")
        self.assert_sound()
        # An application that nobody told the catalogue about, and one that is gone.
        (self.data / "recordings" / "new").mkdir()
        pushed(self.folder / "other", self.event_log("new"))
        path = next((self.folder / "other" / "recordings").rglob("*.sprof"))
        path.rename(self.data / "recordings" / "new" / path.name)
        for path in (self.data / "recordings" / "a").iterdir():
            path.unlink()
        found = self.store("verify", code=1).stdout
        self.assertIn("application new: not in the catalogue\n", found)
        self.assertIn("application a: in the catalogue, but has no recordings\n", found)
        self.assertEqual(len(found.splitlines()), 2, found)
        self.store("rebuild")
        self.assert_sound()
        # A block that fell off a disk.
        damaged = next((self.data / "recordings" / "b").iterdir())
        content = bytearray(damaged.read_bytes())
        content[len(content) // 2] ^= 1
        damaged.write_bytes(content)
        found = self.json_of_store("verify", code=1)["problems"]
        self.assertTrue(any(str(damaged) in problem and "wrong checksum" in problem for problem in found), found)

    def test_verify_finds_small_files_that_are_folders_or_doubled(self):
        self.filled("a")
        line = '{"version":1,"configuration":{}}\n'
        for name, is_damaged in (("whole", False), ("doubled", True), ("folder", True)):
            file = self.data / "groups" / f"{name}.json"
            file.parent.mkdir(exist_ok=True)
            if name == "folder":
                file.mkdir()
            else:
                file.write_text(line * (2 if is_damaged else 1))
            found = self.json_of_store("verify", code=1 if file.name != "whole.json" else 0)["problems"]
            self.assertEqual(any(f"{name}.json" in problem for problem in found), is_damaged, found)

    def test_a_damaged_catalogue_is_a_problem_that_rebuild_mends(self):
        self.filled("a")
        catalogue = self.data / "catalogue.duckdb"
        catalogue.write_bytes(b"x" * catalogue.stat().st_size)
        self.assertIn("remove it", self.json_of_store("status")["catalogue"])
        self.assertIn("remove it", self.store("verify", code=1).stdout)
        self.assertTrue(catalogue.read_bytes().startswith(b"xxx"), "only rebuild changes it")
        self.store("rebuild")
        self.assert_sound()

    def test_a_running_server_keeps_its_data_for_itself(self):
        with Collector(self.data):
            for action in (["status"], ["verify"], ["rebuild"], ["compact"], ["export", "--parquet-dir", self.folder / "tables"]):
                self.assertIn("another server uses this folder", self.store(*action, code=2).stderr)

    def test_wrong_usage_is_named(self):
        self.assertIn("not a data folder", self.store("status", code=2).stderr)
        (self.data / "recordings").mkdir(parents=True)
        self.assertIn("unknown action 'clean'; use status, verify", self.store("clean", code=2).stderr)
        self.assertIn("export requires --parquet-dir DIR", self.store("export", code=2).stderr)

    def test_killed_compactions_lose_nothing_and_store_nothing_twice(self):
        applications = [f"app-{number}" for number in range(12)]
        self.filled(*applications)
        before = {application: self.recorded(application) for application in applications}
        for _ in range(ROUNDS):
            process = subprocess.Popen([SPARKPROF, "collector", "compact", "--data", str(self.data)], stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0, 0.08))  # the moment of the kill
            process.kill()
            process.wait()
            self.assertEqual({application: self.recorded(application) for application in applications}, before)
        self.store("compact")
        self.assertEqual(self.files(), sorted(f"{application}/+compacted.sprof" for application in applications))
        self.assertEqual({application: self.recorded(application) for application in applications}, before)
        with Collector(self.data) as server:
            server.push(self.folder / "app-3.log")
            answer = server.get("/applications/app-3").json()
            self.assertEqual({key: answer[key] for key in before["app-3"]}, before["app-3"])
        self.assertEqual(len(self.files()), len(applications))

    def test_old_applications_go_and_recent_ones_stay(self):
        self.filled("old", "older", "new")
        self.age("old", 5 * DAY)
        self.age("older", 9 * DAY)
        with Collector(self.data, "--keep", "4d") as server:
            server.wait_for(lambda rows: [row["id"] for row in rows] == ["new"], "the end of the old ones")
            self.assertIn("sparkprof_removed_applications_total 2\n", server.metrics())
        self.assertEqual({name.split("/")[0] for name in self.files()}, {"new"})
        audit = [json.loads(line) for line in (self.data / "audit.jsonl").read_text().splitlines()]
        told = [(entry["role"], entry["what"], entry["subject"]) for entry in audit]
        self.assertEqual(told, [("server", "remove", "older"), ("server", "remove", "old")])
        self.assert_sound()

    def test_the_oldest_go_when_there_is_too_much(self):
        self.filled("a", "b", "c")
        self.age("b", 60)
        with Collector(self.data, "--keep-bytes", self.sizes() - 1) as server:
            server.wait_for(lambda rows: sorted(row["id"] for row in rows) == ["a", "c"], "the end of the oldest")

    def test_a_webhook_is_told_once_of_failures_and_findings(self):
        def reasons(bodies):
            return {body["application"]["id"]: body["application"]["status"] for body in bodies}

        with Receiver(500, 429) as receiver:
            options = ("--webhook", receiver.url, "--webhook-severity", "low", "--public-url", "https://profiles.example.com/")
            with Collector(self.data, *options) as server:
                server.push(self.event_log("bad", "4 duration=1000", "failed"))
                server.push(self.event_log("slow", "30 duration=1000 together=1", "1 duration=90000 together=1", "cores=31"))
                self.push(server, "fine")
                wait_until(lambda: len(receiver.bodies) == 2, "two notifications")
                server.wait_for(lambda rows: len(rows) == 3, "the applications")
                self.assertIn("sparkprof_notifications_sent_total 2\n", server.metrics())
            self.assertEqual(reasons(receiver.bodies), {"bad": "failed", "slow": "finished"})
            self.assertTrue(all(body["findings"] for body in receiver.bodies))
            failed = next(body for body in receiver.bodies if body["application"]["id"] == "bad")
            self.assertEqual(failed["url"], "https://profiles.example.com/applications/bad")
            self.assertEqual(failed["text"].splitlines()[0], "etl (bad, group etl) failed")
            # Another server, another catalogue: no news.
            (self.data / "catalogue.duckdb").unlink()
            with Collector(self.data, *options) as server:
                server.wait_for(lambda rows: len(rows) == 3, "the applications")
                server.push(self.event_log("bad2", "4 duration=1000", "failed"))
                wait_until(lambda: len(receiver.bodies) > 2, "a notification")
            self.assertEqual([body["application"]["id"] for body in receiver.bodies[2:]], ["bad2"])

    @slow("regressions are")
    def test_a_webhook_is_told_of_a_run_slower_than_those_before(self):
        with Receiver() as receiver, Collector(self.data, "--webhook", receiver.url) as server:
            for number in range(6):
                server.push(self.event_log(f"run-{number}", "4 duration=30000", later=number))
            server.wait_for(lambda rows: len(rows) == 6, "the first runs")
            server.push(self.event_log("slow", "4 duration=60000", later=9))
            wait_until(lambda: receiver.bodies, "a notification")
            told = receiver.bodies[0]
            self.assertEqual(told["application"]["id"], "slow")
            self.assertIn({"measure": "duration", "seconds": 120.0, "medianSeconds": 60.0, "runs": 6}, told["regressions"])
            self.assertIn("regression: duration 2.0 min, 2.0 times the median of the last 6 runs", told["text"])

    def test_a_webhook_that_is_away_delays_nothing_and_is_counted(self):
        with Receiver() as receiver:
            url = receiver.url
        with Collector(self.data, "--webhook", url) as server:
            server.push(self.event_log("bad", "4 duration=1000", "failed"))
            server.wait_for(lambda rows: [row["status"] for row in rows] == ["failed"], "the application")
            begin = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - begin, 12, "it waited for its five attempts, between which it pauses for 15 s")
        # The next server has it still to tell.
        with Receiver() as receiver, Collector(self.data, "--webhook", receiver.url):
            wait_until(lambda: receiver.bodies, "the notification")

    def test_servers_killed_under_load_lose_nothing_they_acknowledged(self):
        logs = [self.event_log(f"app-{number}") for number in range(WRITERS)]
        blocks = [block for number, log in enumerate(logs) for block in blocks_of(pushed(self.folder / f"made-{number}", log))]
        acknowledged, stopping, port = set(), threading.Event(), free_port()

        def write(number):
            """Sends its blocks again and again, as clients do that did not get an answer."""
            while not stopping.is_set():
                for at in range(number, len(blocks), WRITERS):
                    request = urllib.request.Request(f"http://127.0.0.1:{port}{API}/recordings", data=blocks[at], method="POST")
                    try:
                        with urllib.request.urlopen(request, timeout=DEADLINE):
                            acknowledged.add(at)
                    except (OSError, http.client.HTTPException):
                        stopping.wait(0.05)  # the server is down

        def read(number):
            while not stopping.is_set():
                for path in ("applications", f"applications/app-{number}", "groups", f"applications/app-{number}/findings"):
                    try:
                        urllib.request.urlopen(f"http://127.0.0.1:{port}{API}/{path}", timeout=DEADLINE).read()
                    except (OSError, http.client.HTTPException):
                        stopping.wait(0.05)  # the server is down, or the application is not there yet

        clients = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
        clients += [threading.Thread(target=read, args=(number,)) for number in range(READERS)]
        for client in clients:
            client.start()
        try:
            for _ in range(ROUNDS):
                server = Collector(self.data, port=port)
                time.sleep(random.uniform(0.05, 0.6))  # the moment of the kill
                server.kill()
        finally:
            stopping.set()
            for client in clients:
                client.join()
        self.assertTrue(acknowledged)
        # Two kills in a row while a recording is opened set it aside, as if it had caused them. This is how to open it again.
        (self.data / "opening").unlink()
        with Collector(self.data) as server:
            for at in sorted(acknowledged):
                self.assertEqual(server.post(blocks[at]).json()["duplicates"], 1, f"block {at} was acknowledged")
            for block in blocks:
                server.post(block)
            server.wait_for(lambda rows: len(rows) == WRITERS, "the applications")
        for number in range(WRITERS):
            recorded = json_of("info", self.data / "recordings" / f"app-{number}")["recording"]
            self.assertEqual((recorded["blocks"], recorded["damagedBlocks"], recorded["skippedBytes"]), (len(blocks) // WRITERS, 0, 0))
        wait_until(self.catalogue_is_current, "the catalogue")
        self.assert_sound()

    def test_exported_tables_are_read_by_pyarrow(self):
        self.filled("a", "b")
        listed = self.store("export", "--parquet-dir", self.folder / "tables").stdout.splitlines()
        tables = ["applications", "stages", "executors", "findings", "series", "stack_totals", "stacks"]
        self.assertEqual([pathlib.Path(line).stem for line in listed], tables)
        read = "import pyarrow.parquet, sys; print(pyarrow.parquet.read_table(sys.argv[1]).select(sys.argv[2].split(',')).to_pylist())"
        expected = {"applications": {"group": "etl", "status": "finished", "tasks": 4}, "stages": {"stage": 3, "tasks": 4}}
        for table, row in expected.items():
            columns = ",".join(["application", *row])
            rows = execute(Spark().python, "-c", read, self.folder / "tables" / f"{table}.parquet", columns)
            found = sorted(ast.literal_eval(rows.stdout), key=lambda row: row["application"])
            self.assertEqual(found, [{"application": name} | row for name in "ab"])

    def test_the_dashboard_asks_for_metrics_that_exist(self):
        dashboard = json.loads((REPOSITORY / "deploy" / "grafana-dashboard.json").read_text())
        asked = {
            name for panel in dashboard["panels"] for target in panel["targets"] for name in re.findall(r"sparkprof_\w+", target["expr"])
        }
        with Collector(self.data) as server:
            answered = set(re.findall(r"^(sparkprof_\w+) ", server.metrics(), re.MULTILINE))
        self.assertTrue(asked)
        self.assertEqual(asked - answered, set())
