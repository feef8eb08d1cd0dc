# SPDX-License-Identifier: Apache-2.0
"""The collector: what it takes in, keeps and answers, with a recording of real PySpark."""

import contextlib
import os
import shutil
import socket
import time
import urllib.parse

from certificates import make_certificate
from collector import API, Collector, job_to_push
from support import TestCase, blocks_of, execute, json_of, sparkprof, wait_until

FLAME_OPTIONS = (
    {},
    {"event": "wall"},
    {"event": "alloc", "format": "svg"},
    {"stage": "0", "format": "json"},
    {"format": "speedscope"},
    {"format": "html"},
    {"format": "pprof", "language": "python"},
    {"from": "1s", "to": "20s", "simple-names": "true"},
    {"search": "python", "reverse": "true"},
    {"executor": "driver", "threads": "true", "no-lines": ""},
)


def arguments(options):
    values = {"true": (), "": ()}
    return [word for name, value in options.items() for word in (f"--{name}", *values.get(value, (value,)))]


class ServeTest(TestCase):
    @classmethod
    def setUpClass(cls):
        profile = job_to_push(cls)
        cls.recording = profile.recording
        cls.bytes = profile.recording.read_bytes()
        cls.info = profile.info()
        cls.id = cls.info["applications"][0]["id"]

    def wait_for_application(self, server):
        server.wait_for(lambda rows: [row["id"] for row in rows] == [self.id], "the application in the list")

    def of_application(self, server):
        return server.get(f"/applications/{self.id}").json()

    def test_a_pushed_recording_is_listed_and_answers_as_the_command_line_does(self):
        with Collector(self.folder) as server:
            pushed = server.push(self.recording)
            self.assertRegex(pushed.stderr, r"sent \d+ blocks")
            self.assertEqual(self.of_application(server), self.info)
            for options in FLAME_OPTIONS:
                with self.subTest(options=options):
                    expected = sparkprof("flame", self.recording, *arguments(options), code=None, text=False)
                    answer = server.get(f"/applications/{self.id}/flame", **options)
                    self.assertEqual(answer.status, 200 if expected.returncode == 0 else 404, answer.body[:300])
                    if expected.returncode == 0:
                        self.assertEqual(answer.body, expected.stdout)
            self.wait_for_application(server)
            row = server.applications()[0]
            fields = "id attempt name user group status startTime endTime durationMs tasks cpuSeconds findings topFinding savingMs totals version sparkVersion"
            self.assertEqual(set(row), set(fields.split()))
            self.assertEqual(row["sparkVersion"], self.info["applications"][0]["sparkVersion"])
            self.assertEqual(row["totals"], "complete")
            self.assertEqual(row["tasks"], self.info["counts"]["tasks"])
            self.assertEqual(row["status"], "finished")
            self.assertEqual(row["durationMs"], row["endTime"] - row["startTime"])
            # b is the baseline: a range without samples, so that everything is new.
            change = server.get("/compare/flame", event="wall", a=self.id, bGroup=row["group"], bTo="1").json()
            self.assertEqual((change["before"]["total"], change["after"]["total"] > 0), (0, True))
            report = server.get(f"/applications/{self.id}/report")
            self.assertEqual(report.body[:8], b"SPRFRPT1")
            unchanged = server.request("GET", f"{API}/applications/{self.id}/report", headers={"If-None-Match": report.headers["ETag"]})
            self.assertEqual(unchanged.status, 304)

    def test_the_address_of_a_group_stands_for_its_finished_applications(self):
        with Collector(self.folder) as server:
            server.push(self.recording)
            self.wait_for_application(server)
            group = urllib.parse.quote(server.applications()[0]["group"], safe="")
            of_group = json_of("tune", f"{server.url}/groups/{group}")
            self.assertEqual(of_group, json_of("tune", self.recording))
            unknown = sparkprof("tune", f"{server.url}/groups/unknown", code=2)
            self.assertIn(f"{server.url}/groups/unknown: the group has no finished application", unknown.stderr)

    def test_blocks_sent_twice_or_out_of_order_count_once(self):
        blocks = blocks_of(self.bytes)
        with Collector(self.folder) as server:
            for block in [*reversed(blocks), *blocks]:
                self.assertEqual(server.post(block).status, 200)
            again = server.post(self.bytes).json()
            self.assertEqual((again["blocks"], again["duplicates"]), (len(blocks), len(blocks)))
            # The server may show an earlier state for ten times as long as it took to read it.
            wait_until(lambda: self.of_application(server) == self.info, "the application with all blocks")

    def test_damaged_bodies_are_refused_whole(self):
        flipped = bytearray(self.bytes)
        flipped[len(flipped) // 2] ^= 1
        with Collector(self.folder) as server:
            for name, body in {"empty": b"", "cut": self.bytes[:-1], "flipped": bytes(flipped), "text": b"hello"}.items():
                with self.subTest(name):
                    answer = server.post(body)
                    self.assertEqual(answer.status, 400)
                    self.assertEqual(answer.json()["error"]["code"], "bad_request")
            self.assertEqual(server.get(f"/applications/{self.id}").status, 404)

    def test_wrong_requests_have_the_right_status(self):
        with Collector(self.folder) as server:
            server.post(self.bytes)
            for path, status in {
                "/applications/unknown": 404,
                f"/applications/{self.id}?attempt=7": 404,
                f"/applications/{self.id}/flame?nonsense=1": 400,
                f"/applications/{self.id}/flame?output=/tmp/x": 400,
                f"/applications/{self.id}/flame?event=nonsense": 400,
                f"/applications/{self.id}/flame?stage=99": 404,
                "/applications/..%2f..%2fetc": 404,
                "/applications/%2e%2e/x": 400,
                "/applications?sort=nonsense": 400,
                "/applications?limit=0": 400,
                "/applications?from=yesterday": 400,
                "/applications?cursor=nonsense": 400,
                "/nothing": 404,
            }.items():
                with self.subTest(path):
                    answer = server.request("GET", API + path)
                    self.assertEqual(answer.status, status)
                    self.assertTrue(answer.json()["error"]["message"])
            self.assertEqual(server.request("DELETE", API + "/recordings").status, 405)
            self.assertEqual(server.request("POST", API + "/applications", b"x").status, 405)

    def test_other_sites_cannot_use_a_browser_on_this_machine(self):
        with Collector(self.folder) as server:
            self.assertEqual(server.request("GET", API + "/applications", headers={"Origin": "http://evil.example"}).status, 403)
            self.assertEqual(server.request("GET", API + "/applications", headers={"Host": "evil.example"}).status, 403)

    def test_a_watched_folder_is_read_in_place(self):
        watched = self.folder / "watched"
        watched.mkdir()
        with Collector(self.folder / "data", "--watch", watched) as server:
            shutil.copy(self.recording, watched / "a.sprof")
            self.wait_for_application(server)
            self.assertEqual(self.of_application(server), self.info)
            (watched / "a.sprof").unlink()
            server.wait_for(lambda rows: rows == [], "the application to go")

    def test_killed_servers_keep_what_they_acknowledged(self):
        blocks = blocks_of(self.bytes)
        for block in blocks:
            server = Collector(self.folder)
            self.assertEqual(server.post(block).status, 200)
            server.kill()
        # A file like after a crash in the middle of a write.
        for file in self.folder.rglob("*.sprof"):
            with open(file, "ab") as stream:
                stream.write(blocks[0][:100])
        with Collector(self.folder) as server:
            self.assertEqual(server.post(blocks[-1]).json()["duplicates"], 1)
            server.post(self.bytes)
            self.wait_for_application(server)
            self.assertEqual(self.of_application(server), self.info)

    def test_a_second_server_on_the_same_data_says_so(self):
        with Collector(self.folder):
            second = sparkprof("serve", "--listen", "127.0.0.1:0", "--data", self.folder, code=2)
            self.assertIn(str(self.folder), second.stderr)

    def test_tokens_separate_sending_from_reading(self):
        roles = "# roles\ningest ingest-0123456789abcdef\nread reader-0123456789abcdef\nadmin admins-0123456789abcdef\n"
        with Collector(self.folder / "data", tokens=roles) as server:
            self.assertEqual(server.post(self.bytes).status, 401)
            self.assertEqual(server.post(self.bytes, token="wrong-0123456789abcdef").status, 401)
            self.assertEqual(server.post(self.bytes, token="reader-0123456789abcdef").status, 403)
            self.assertEqual(server.post(self.bytes, token="ingest-0123456789abcdef").status, 200)
            listed = API + "/applications"
            self.assertEqual(server.request("GET", listed, token="ingest-0123456789abcdef").status, 403)
            self.assertEqual(server.request("GET", listed, token="reader-0123456789abcdef").status, 200)
            self.assertEqual(server.request("GET", listed, token="admins-0123456789abcdef").status, 200)
            health = server.health()
            self.assertEqual((health.status, health.json()), (200, {"status": "ok"}))
            self.assertIn("folders", server.request("GET", "/healthz", token="reader-0123456789abcdef").json())
        server.tokens.chmod(0o644)
        refused = sparkprof("serve", "--data", self.folder, "--tokens", server.tokens, code=2)
        self.assertIn("chmod 600", refused.stderr)

    def test_other_addresses_require_tokens(self):
        refused = sparkprof("serve", "--data", self.folder, "--listen", "0.0.0.0:0", code=2)
        self.assertIn("--tokens", refused.stderr)

    def test_tls_protects_sending_and_reading(self):
        certificate, key = make_certificate(self.folder)
        with Collector(self.folder / "data", "--tls-cert", certificate, "--tls-key", key, tls=str(certificate)) as server:
            self.assertTrue(server.url.startswith("https://"))
            server.push(self.recording, code=2)
            server.push(self.recording, "--ca-file", certificate)
            self.assertEqual(self.of_application(server), self.info)

    def test_it_ends_soon_after_sigterm_with_clients_connected(self):
        server = Collector(self.folder)
        with socket.create_connection(("127.0.0.1", server.port)) as idle:
            idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            self.assertIn(b"200", idle.recv(100))
            begin = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - begin, 60, "it waited for the client, which has 75 s for its next request")

    def test_a_full_disk_is_a_clear_state_and_recovers(self):
        if os.geteuid() != 0:
            self.skipTest("mounting a small disk needs root")
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = execute("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", disk, code=None, text=False)
        if mounted.returncode != 0:
            self.skipTest("tmpfs cannot be mounted here")
        try:
            with Collector(disk / "data") as server:
                filler = disk / "filler"
                with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as stream:
                    while True:
                        stream.write(bytes(1 << 16))
                refused = server.post(self.bytes)
                self.assertEqual(refused.status, 503)
                self.assertTrue(refused.headers["Retry-After"])
                health = server.health()
                self.assertEqual((health.status, health.json()["status"]), (503, "degraded"))
                filler.unlink()
                self.assertEqual(server.post(self.bytes).status, 200)
                self.assertEqual(self.of_application(server), self.info)
        finally:
            execute("umount", "-l", disk, code=None)

    def test_a_compacted_recording_says_the_same_and_a_coarser_one_has_the_same_samples(self):
        selections = (
            ("--event", "cpu"),
            ("--event", "wall"),
            ("--event", "wall", "--stage", "0", "--threads"),
            ("--event", "cpu", "--language", "jvm"),
            ("--event", "wall", "--language", "python"),
        )
        alike_when_coarser = selections[3:]  # pairs of Python and JVM stacks depend on time

        def contents(*chosen):
            info = json_of("info", folder)
            if chosen == alike_when_coarser:  # the driver's query and line depend on time, too
                del info["account"]["wall"], info["verdict"]
                info["owners"] = sorted((one["owner"], one["cpuMs"]) for one in info["owners"] if one["kind"] != "driver")
                info["ownedShare"] = round(info["ownedShare"], 6)  # shares of single queries are whole nanoseconds
            return info, [sparkprof("flame", folder, "--format", "collapsed", *options).stdout for options in chosen]

        with Collector(self.folder) as server:
            server.post(self.bytes)
        folder = self.folder / "recordings" / self.id
        before, before_coarser = contents(*selections), contents(*alike_when_coarser)
        bytes_before = sum(path.stat().st_size for path in folder.iterdir())
        sparkprof("collector", "compact", "--data", self.folder)
        self.assertEqual([path.name for path in folder.iterdir()], ["+compacted.sprof"])
        self.assertLess(sum(path.stat().st_size for path in folder.iterdir()), bytes_before)
        self.assertEqual(contents(*selections), before)
        os.utime(folder / "+compacted.sprof", (time.time() - 8 * 86400,) * 2)
        with Collector(self.folder, "--coarsen-after", "7d") as server:
            wait_until(lambda: [path.name for path in folder.iterdir()] == ["+coarse-10s.sprof"], "coarser samples")
            self.assertEqual(server.post(self.bytes).json()["duplicates"], len(blocks_of(self.bytes)))
        self.assertEqual(contents(*alike_when_coarser), before_coarser)
        sparkprof("collector", "rebuild", "--data", self.folder)
        self.assertEqual(sparkprof("collector", "verify", "--data", self.folder).stdout, "no problems found\n")

    def test_metrics_are_valid_prometheus_text(self):
        with Collector(self.folder) as server:
            server.post(self.bytes)
            text = server.metrics()
            self.assertIn(f"sparkprof_received_blocks_total {len(blocks_of(self.bytes))}\n", text)
            for line in text.splitlines():
                self.assertRegex(line, r"^(# (HELP|TYPE) sparkprof_\w+ .+|sparkprof_\w+ [0-9.e+-]+)$")
