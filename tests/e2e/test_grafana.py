# SPDX-License-Identifier: Apache-2.0
"""Queries of Grafana's Pyroscope data source to the collector: with a recording of real PySpark, against the command line."""

import getpass
import gzip
import json
import re
import struct

from collector import API, JSON, Collector, job_to_push
from support import REPOSITORY, TestCase, json_of, sparkprof, wait_until

SERVICE = "/querier.v1.QuerierService/"
CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
TYPES = {"cpu": CPU, "wall": "wall:wall:nanoseconds:wall:nanoseconds", "alloc": "memory:alloc_in_new_tlab_bytes:bytes::"}
PROTOBUF = {"Content-Type": "application/proto"}


def varint(number):
    encoded = b""
    while number > 0x7F:
        encoded, number = encoded + bytes([number & 0x7F | 0x80]), number >> 7
    return encoded + bytes([number])


def message(*fields):
    """A protobuf message of (number, value): a text, a message, an integer or a float."""
    encoded = b""
    for number, value in fields:
        if isinstance(value, int):
            encoded += varint(number << 3) + varint(value)
        elif isinstance(value, float):
            encoded += varint(number << 3 | 1) + struct.pack("<d", value)
        else:
            value = value.encode() if isinstance(value, str) else value
            encoded += varint(number << 3 | 2) + varint(len(value)) + value
    return encoded


def fields_of(encoded):
    """[(number, value)] of a protobuf message; numbers as they are, all else as bytes."""
    place = 0

    def next_varint():
        nonlocal place
        number = shift = 0
        while True:
            byte = encoded[place]
            place += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    fields = []
    while place < len(encoded):
        key = next_varint()
        if key & 7 == 0:
            fields.append((key >> 3, next_varint()))
        else:
            size = 8 if key & 7 == 1 else next_varint()
            fields.append((key >> 3, encoded[place : place + size]))
            place += size
    return fields


def only(encoded, number):
    """The values of a field."""
    return [value for field, value in fields_of(encoded) if field == number]


class GrafanaTest(TestCase):
    @classmethod
    def setUpClass(cls):
        profile = job_to_push(cls)
        cls.recording = profile.recording
        [cls.application] = profile.info()["applications"]
        cls.stages = {row["stageId"] for row in json_of("show", "stages", profile.recording)}

    def serve(self, *options, **more):
        return self.enter(Collector(self.folder / "data", *options, **more))

    def ask(self, server, method, token=None, **members):
        answer = server.request("POST", SERVICE + method, members, JSON, token=token)
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        return answer.json()

    def values(self, server, label, *matchers, token=None):
        return self.ask(server, "LabelValues", token=token, name=label, matchers=matchers).get("names", [])

    def push(self, server, **options):
        server.push(self.recording, **options)
        wait_until(lambda: self.values(server, "application") == [self.application["id"]], "the application's labels")

    def range(self):
        """Times that include all samples."""
        return {"start": str(self.application["startTime"] - 60_000), "end": str(self.application["endTime"] + 60_000)}

    def stacks(self, server, event="cpu", selector="{}", **more):
        answer = self.ask(server, "SelectMergeStacktraces", profileTypeID=TYPES[event], labelSelector=selector, **self.range(), **more)
        return answer.get("flamegraph")

    def assert_levels(self, flame):
        """Bars lie inside their callers."""
        spans = [[(0, int(flame["total"]))]]
        self.assertEqual(flame["names"][0], "total")
        for level in flame["levels"]:
            numbers, end, bars = list(map(int, level["values"])), 0, []
            for x, total, own, name in zip(*[iter(numbers)] * 4, strict=True):
                self.assertLessEqual(0, x)
                self.assertLessEqual(own, total)
                self.assertGreater(total, 0)
                self.assertLess(name, len(flame["names"]))
                begin, end = end + x, end + x + total
                self.assertTrue(any(first <= begin and end <= last for first, last in spans[-1]))
                bars.append((begin, end))
            spans.append(bars)

    def of_command_line(self, *options):
        lines = sparkprof("flame", self.recording, "--format", "collapsed", *options, code=None)
        return sum(int(line.rpartition(" ")[2]) for line in lines.stdout.splitlines()) if lines.returncode == 0 else 0

    def test_flame_graphs_have_the_totals_of_the_command_line(self):
        server = self.serve()
        self.push(server)
        self.assertGreater(len(self.stages), 0)
        for event in TYPES:
            totals = {"{}": self.of_command_line("--event", event)}
            totals |= {f'{{stage="{stage}"}}': self.of_command_line("--event", event, "--stage", str(stage)) for stage in self.stages}
            totals['{executor="driver"}'] = self.of_command_line("--event", event, "--executor", "driver")
            self.assertGreater(totals["{}"], 0)
            for selector, total in totals.items():
                with self.subTest(event=event, selector=selector):
                    flame = self.stacks(server, event, selector)
                    self.assertEqual(int(flame["total"]) if flame else 0, total)
                    if flame:
                        self.assert_levels(flame)
        whole = self.stacks(server)
        self.assertTrue(any("burn" in name or ".py)" in name for name in whole["names"]), whole["names"][:50])

    def test_parts_and_curves_add_up_to_the_whole(self):
        server = self.serve()
        self.push(server)
        total = int(self.stacks(server)["total"])
        for label in ("job", "stage", "sql", "executor", "thread_group"):
            parts = [self.stacks(server, selector=f'{{{label}="{value}"}}') for value in ["", *self.values(server, label)]]
            self.assertEqual(sum(int(part["total"]) for part in parts if part), total, label)
            asked = {"profileTypeID": CPU, "labelSelector": "{}", "step": 15, "groupBy": [label], **self.range()}
            series = self.ask(server, "SelectSeries", **asked)["series"]
            self.assertEqual(sum(point["value"] for one in series for point in one["points"]), total, label)
        small = self.stacks(server, maxNodes="20")
        self.assertEqual(int(small["total"]), total)
        self.assertIn("other", small["names"])
        self.assert_levels(small)
        root = small["names"][1]
        below = self.stacks(server, stackTraceSelector={"callSite": [{"name": root}]})
        self.assertLessEqual(int(below["total"]), total)
        self.assertEqual(below["names"][1], root)

    def test_the_two_codecs_agree(self):
        server = self.serve()
        self.push(server)
        start, end = map(int, self.range().values())
        request = message((1, CPU), (2, "{}"), (3, start), (4, end), (5, 16384))
        for body, headers in ((request, PROTOBUF), (gzip.compress(request), PROTOBUF | {"Content-Encoding": "gzip"})):
            answer = server.request("POST", "/any/prefix" + SERVICE + "SelectMergeStacktraces", body, headers)
            self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "application/proto"), answer.body)
            [flame] = only(answer.body, 1)
            self.assertEqual([name.decode() for name in only(flame, 1)], self.stacks(server, maxNodes=16384)["names"])
            self.assertEqual(only(flame, 3), [int(self.stacks(server)["total"])])
        types = server.request("POST", SERVICE + "ProfileTypes", message((1, start), (2, end)), PROTOBUF)
        self.assertEqual(
            [only(one, 1)[0].decode() for one in only(types.body, 1)],
            [one["ID"] for one in self.ask(server, "ProfileTypes", **self.range())["profileTypes"]],
        )
        self.assertEqual(server.request("POST", SERVICE + "ProfileTypes", message((1, 1), (2, 2)), PROTOBUF).body, b"")
        series = server.request("POST", SERVICE + "SelectSeries", message((1, CPU), (2, "{}"), (3, start), (4, end), (6, 15.0)), PROTOBUF)
        [points] = [only(one, 2) for one in only(series.body, 1)]
        total = sum(struct.unpack("<d", only(point, 1)[0])[0] for point in points)
        self.assertEqual(total, int(self.stacks(server)["total"]))
        side = message((1, CPU), (2, "{}"), (3, start), (4, end))
        [compared] = only(server.request("POST", SERVICE + "Diff", message((1, side), (2, side)), PROTOBUF).body, 1)
        self.assertEqual(only(compared, 5), only(compared, 6))

    def test_a_profile_for_download_is_read_by_the_command_line(self):
        server = self.serve()
        self.push(server)
        start, end = map(int, self.range().values())
        answer = server.request("POST", SERVICE + "SelectMergeProfile", message((1, CPU), (2, "{}"), (3, start), (4, end)), PROTOBUF)
        (self.folder / "profile.pprof").write_bytes(answer.body)
        lines = sparkprof("flame", self.folder / "profile.pprof", "--event", "cpu", "--format", "collapsed").stdout.splitlines()
        self.assertEqual(sum(int(line.rpartition(" ")[2]) for line in lines), int(self.stacks(server)["total"]))

    def test_who_may_not_see_an_application_finds_nothing_of_it(self):
        user = getpass.getuser()
        tokens = {
            user: f"read token-of-the-owner-1 user={user}",
            "mallory": "read token-of-mallory-12 user=mallory",
            "admin": "admin token-of-admin-1234",
            "sender": "ingest token-of-sender-123",
        }
        token_of = {person: line.split()[1] for person, line in tokens.items()}
        server = self.serve("--acls", tokens="\n".join(tokens.values()) + "\n", token=token_of["admin"])
        (self.folder / "token").write_text(token_of["sender"])
        server.push(self.recording, "--token-file", self.folder / "token")
        wait_until(lambda: self.values(server, "application", token=token_of[user]), "the owner's application")

        def answers(person):
            asked = {"profileTypeID": CPU, "labelSelector": "{}", **self.range()}
            return {
                "types": self.ask(server, "ProfileTypes", token=token_of[person]),
                "names": self.ask(server, "LabelNames", token=token_of[person]),
                "services": self.values(server, "service_name", token=token_of[person]),
                "stages": self.values(server, "stage", token=token_of[person]),
                "by ID": self.values(server, "user", f'{{application="{self.application["id"]}"}}', token=token_of[person]),
                "sets": self.ask(server, "Series", token=token_of[person]),
                "series": self.ask(server, "SelectSeries", token=token_of[person], step=15, **asked),
                "stacks": self.ask(server, "SelectMergeStacktraces", token=token_of[person], **asked),
                "diff": self.ask(server, "Diff", token=token_of[person], left=asked, right=asked),
                "stats": self.ask(server, "GetProfileStats", token=token_of[person]),
            }

        for what, answer in answers("mallory").items():
            self.assertFalse(answer, what)
        for person in (user, "admin"):
            for what, answer in answers(person).items():
                self.assertTrue(answer, f"{person} {what}")
        for token, status in ((None, 401), (token_of["sender"], 403)):
            server.token = None
            refused = server.request("POST", SERVICE + "ProfileTypes", b"{}", JSON, token=token)
            self.assertEqual(refused.status, status)
            self.assertEqual(refused.json()["code"], "unauthenticated" if status == 401 else "permission_denied")

    def test_queries_beyond_the_limits_fail_with_their_reason(self):
        server = self.serve()
        lines = b"main;work 3\n"
        for number in range(101):
            sent = server.request("POST", f"/ingest?name=shop.cpu{{number={number}}}&format=folded", lines)
            self.assertEqual(sent.status, 200)
        wait_until(lambda: len(self.values(server, "application")) == 101, "all services")
        [cpu] = [one["ID"] for one in self.ask(server, "ProfileTypes")["profileTypes"]]
        asked = {"profileTypeID": cpu, "labelSelector": "{}"}
        refused = server.request("POST", SERVICE + "SelectMergeStacktraces", asked, JSON)
        self.assertEqual((refused.status, refused.json()["code"]), (429, "resource_exhausted"))
        self.assertIn("matches 101 applications, at most 100 are added up at once", refused.json()["message"])
        asked["labelSelector"] = '{service_name=~"shop.*number=1.?[}]"}'
        flame = self.ask(server, "SelectMergeStacktraces", **asked)["flamegraph"]
        one = self.ask(server, "SelectMergeStacktraces", **asked | {"labelSelector": '{service_name="shop{number=1}"}'})["flamegraph"]
        self.assertEqual(int(flame["total"]), 11 * int(one["total"]), "1 and 10 to 19")
        self.assertEqual(flame["names"], ["total", "main", "work"])
        huge = json.dumps({"matchers": ["{}" + " " * (2 << 20)]}).encode()
        self.assertEqual(server.request("POST", SERVICE + "LabelNames", huge, JSON).status, 413)
        bomb = server.request("POST", SERVICE + "LabelNames", gzip.compress(bytes(64 << 20)), JSON | {"Content-Encoding": "gzip"})
        self.assertEqual(bomb.status, 400)
        self.assertEqual(server.request("GET", f"{API}/applications").status, 200)

    def test_the_provisioned_data_source_takes_its_address_and_token_from_the_environment(self):
        source = (REPOSITORY / "deploy" / "grafana-datasource.yml").read_text()
        self.assertIn("type: grafana-pyroscope-datasource\n", source)
        variables = set(re.findall(r"\$(\w+)", source))
        self.assertEqual(variables, {"SPARKPROF_SERVER", "SPARKPROF_TOKEN"})
        page = (REPOSITORY / "docs" / "grafana.md").read_text()
        self.assertTrue(all(f"`{name}`" in page for name in variables))
