# SPDX-License-Identifier: Apache-2.0
"""Profiles of other tools on the collector: their clients' protocols, their clients, and `sparkprof push`."""

import base64
import gzip
import json
import os
import re
import time
import unittest
import urllib.error
import urllib.request

from collector import JSON, OTEL_COLLECTOR, Collector, start_otel
from support import PEERS, SLOW, TestCase, execute, json_of_report, report_data, sparkprof, stacks_of, wait_until

AGENT = PEERS / "pyroscope-agent.jar"
PYTHON = PEERS / "pyroscope" / "bin" / "python"
INGEST_TOKEN, ADMIN_TOKEN = "ingest-token-0123456789", "admin-token-0123456789ab"
TOKENS = f"ingest {INGEST_TOKEN}\nadmin {ADMIN_TOKEN}\n"

# main calls work: 30 ms of CPU.
NAMES = [{"key": "service.name", "value": {"stringValue": "shop"}}, {"key": "zone", "value": {"stringValue": "b"}}]
PROFILE = {"sampleType": {"typeStrindex": 1, "unitStrindex": 2}, "samples": [{"stackIndex": 1, "values": ["30000000"]}]}
OTLP = {
    "resourceProfiles": [{"resource": {"attributes": NAMES}, "scopeProfiles": [{"profiles": [PROFILE]}]}],
    "dictionary": {
        "stringTable": ["", "cpu", "nanoseconds", "main", "work"],
        "functionTable": [{}, {"nameStrindex": 3}, {"nameStrindex": 4}],
        "locationTable": [{}, {"lines": [{"functionIndex": 1}]}, {"lines": [{"functionIndex": 2}]}],
        "stackTable": [{}, {"locationIndices": [2, 1]}],
        "mappingTable": [{}],
    },
}


def stacks(response):
    return stacks_of(response.body.decode())


class ForeignProfilesTest(TestCase):
    def collector(self, **options):
        return self.enter(Collector(self.folder / "data", **options))

    def ingest(self, collector, name, body, **parameters):
        now = int(time.time())
        query = "&".join(f"{key}={value}" for key, value in {"from": now - 10, "until": now, **parameters}.items())
        return collector.request("POST", f"/ingest?name={name}&{query}", body)

    def of_group(self, collector, group):
        return [row for row in collector.applications() if row["group"] == group]

    def flame(self, collector, group, **options):
        rows = self.of_group(collector, group)
        return stacks(collector.get(f"/applications/{rows[0]['id']}/flame", format="collapsed", **options))

    def test_push_sends_what_analyze_reads(self):
        job = self.folder / "job"
        job.mkdir()
        (job / "driver.log").write_text(
            "26/11/23 10:00:00 INFO SparkContext: Submitted application: etl\n"
            "26/11/23 10:00:01 INFO DAGScheduler: Got job 0 (count at Job.scala:7) with 1 output partitions\n"
            "26/11/23 10:00:01 INFO TaskSetManager: Starting task 0.0 in stage 0.0 (TID 0) (host, executor driver, partition 0, ANY, 8 bytes)\n"
            "26/11/23 10:00:05 ERROR Job: out of luck\n"
            "26/11/23 10:00:09 INFO TaskSetManager: Finished task 0.0 in stage 0.0 (TID 0) in 8000 ms on host (executor driver) (1/1)\n"
            "26/11/23 10:00:09 INFO DAGScheduler: Job 0 finished: count at Job.scala:7, took 8.1 s\n"
        )
        start = 1795428000000  # as in the log, UTC
        record = {"pid": 7, "pmem_rss": 1 << 20, "pmem_vms": 2 << 20, "cpu_percent": 50.0}
        records = [json.dumps(record | {"epochMillis": start + 1000 * second}) for second in range(10)]
        (job / "memory.json").write_text("".join(line + "\n" for line in records))
        sparkprof("analyze", job, "--zone", "UTC", "--no-report", "-o", self.folder / "job.sprof")
        sparkprof("report", self.folder / "job.sprof", "-o", self.folder / "job.html")
        expected = report_data(self.folder / "job.html")
        collector = self.collector()
        collector.push(job, "--zone", "UTC")
        collector.wait_for(lambda rows: [row["tasks"] for row in rows] == [1], "the job")
        answer = json_of_report(collector.get(f"/applications/{collector.applications()[0]['id']}/report").body)
        self.assertTrue(expected["logs"] and expected["series"])
        for part in ("application", "logs", "series", "tasks"):
            self.assertEqual(answer[part], expected[part], part)

    def test_uploads_of_a_client_become_one_application_that_grows(self):
        collector = self.collector()
        first = self.ingest(collector, "shop.cpu%7Bregion%3Deu%7D", b"main;work 50\n")
        self.assertEqual((first.status, first.body), (200, b""))
        collector.wait_for(lambda rows: rows, "the first upload in the list")
        self.assertEqual(self.flame(collector, "shop"), {"main;work": 500_000_000})
        self.assertEqual(self.ingest(collector, "shop.cpu%7Bregion%3Deu%7D", b"main;work 20\n").status, 200)
        self.assertEqual(self.ingest(collector, "shop.alloc_space%7Bregion%3Deu%7D", b"main;copy 4096\n", units="bytes").status, 200)
        wait_until(lambda: self.flame(collector, "shop") == {"main;work": 700_000_000}, "both uploads in the flame graph")
        self.assertEqual(self.flame(collector, "shop", event="alloc_space"), {"main;copy": 4096})
        (row,) = collector.applications(search="region=eu")
        self.assertEqual((row["name"], row["group"], row["status"]), ("shop{region=eu}", "shop", "running"))
        information = collector.get(f"/applications/{row['id']}").json()
        self.assertEqual(information["settings"]["label.region"], "eu")
        self.assertEqual(collector.get(f"/applications/{row['id']}/report").status, 200)

    def test_the_same_upload_counts_once_and_survives_a_kill(self):
        collector = self.collector()
        for _ in range(2):
            self.assertEqual(self.ingest(collector, "shop.cpu", b"main;work 50\n", **{"from": 1790000000, "until": 1790000010}).status, 200)
        collector.kill()
        collector = self.collector()
        collector.wait_for(lambda rows: rows, "the application after a restart")
        self.assertEqual(self.flame(collector, "shop"), {"main;work": 500_000_000})

    def test_groups_and_comparisons_take_profiles(self):
        collector = self.collector()
        self.ingest(collector, "shop.cpu%7Bversion%3D1%7D", b"main;work 50\n")
        self.ingest(collector, "shop.cpu%7Bversion%3D2%7D", b"main;work 10\nmain;rest 10\n")
        collector.wait_for(lambda rows: len(rows) == 2, "two applications")
        group = collector.get("/groups/shop/flame", event="cpu", format="collapsed")
        self.assertEqual(stacks(group), {"main;work": 600_000_000, "main;rest": 100_000_000})
        a, b = sorted(row["id"] for row in collector.applications())
        self.assertEqual(collector.get("/compare", a=a, b=b).status, 200)
        self.assertIn("rest", collector.get("/compare/flame", a=a, b=b, event="cpu").body.decode())

    def test_push_and_otlp_requests_are_stored(self):
        collector = self.collector()
        profile = base64.b64encode(gzip.compress(b"main;work 3\n")).decode()
        labels = [{"name": "service_name", "value": "cart"}, {"name": "region", "value": "eu"}]
        body = gzip.compress(json.dumps({"series": [{"labels": labels, "samples": [{"rawProfile": profile}]}]}).encode())
        answer = collector.request("POST", "/push.v1.PusherService/Push", body, JSON | {"Content-Encoding": "gzip"})
        self.assertEqual((answer.status, answer.json()), (200, {}))
        answer = collector.request("POST", "/v1development/profiles", OTLP, JSON)
        self.assertEqual((answer.status, answer.json()), (200, {}))
        collector.wait_for(lambda rows: len(rows) == 2, "both profiles")
        self.assertEqual(self.flame(collector, "shop"), {"main;work": 30_000_000})
        self.assertEqual(self.flame(collector, "cart"), {"main;work": 3})

    def test_errors_have_the_form_of_their_protocol(self):
        collector = self.collector(tokens=TOKENS)
        self.assertEqual(self.ingest(collector, "shop", b"a 1\n").json()["code"], "unauthenticated")
        answer = collector.request("POST", "/v1development/profiles", {}, JSON)
        self.assertEqual((answer.status, answer.json()["code"]), (401, 16))
        basic = base64.b64encode(f"anybody:{INGEST_TOKEN}".encode()).decode()

        def post(path, body, content_type):
            return collector.request("POST", path, body, {"Content-Type": content_type, "Authorization": f"Basic {basic}"})

        self.assertEqual(post("/ingest?name=shop", b"a;b 1\n", "text/plain").status, 200)
        damaged = post("/push.v1.PusherService/Push", b"\x0a\xff", "application/proto")
        self.assertEqual((damaged.status, damaged.json()["code"]), (400, "invalid_argument"))
        damaged = post("/v1development/profiles", b"\x0a\xff", "application/x-protobuf")
        self.assertEqual((damaged.status, damaged.headers["Content-Type"]), (400, "application/x-protobuf"))
        self.assertIn(b"expected OTLP profiles in protobuf", damaged.body)
        self.assertEqual(post("/push.v1.PusherService/Push", b"", "application/grpc").status, 415)

    def test_push_sends_profiles_of_any_format(self):
        collector = self.collector()
        profile = self.folder / "cpu.collapsed"
        profile.write_text("main;work 3\nmain;rest 4\n")
        for _ in range(2):
            collector.push(profile, "--group", "shop")
        collector.wait_for(lambda rows: rows, "the pushed profile")
        (row,) = collector.applications()
        self.assertEqual((row["name"], row["group"], row["status"]), ("cpu.collapsed", "shop", "finished"))
        self.assertEqual(self.flame(collector, "shop"), {"main;work": 3, "main;rest": 4})

    def wait_for_work(self, collector, group, pattern):
        wait_until(lambda: self.of_group(collector, group), f"an application of {group}")
        return sum(weight for stack, weight in self.flame(collector, group, event="cpu").items() if re.search(pattern, stack))

    @unittest.skipUnless(SLOW and AGENT.exists(), "in the slow set: make test-all")
    def test_the_java_agent_of_pyroscope_works_unchanged(self):
        collector = self.collector(tokens=TOKENS, token=ADMIN_TOKEN)
        program = self.folder / "Busy.java"
        program.write_text("""
            public class Busy {
              static double work(long end) { double x = 0; while (System.nanoTime() < end) x += Math.sqrt(x + 2); return x; }
              public static void main(String[] arguments) throws Exception {
                System.out.println(work(System.nanoTime() + 5_000_000_000L));
                Thread.sleep(4000);
              }
            }""")
        settings = {"APPLICATION_NAME": "busy.java", "SERVER_ADDRESS": collector.url, "FORMAT": "jfr", "UPLOAD_INTERVAL": "2s"}
        settings |= {"LABELS": "region=eu", "BASIC_AUTH_USER": "anybody", "BASIC_AUTH_PASSWORD": INGEST_TOKEN}
        environment = os.environ | {f"PYROSCOPE_{name}": value for name, value in settings.items()}
        execute("java", f"-javaagent:{AGENT}", program, env=environment)
        self.assertGreater(self.wait_for_work(collector, "busy.java", r"Busy\.work"), 100_000_000)
        self.assertEqual(self.of_group(collector, "busy.java")[0]["name"], "busy.java{region=eu}")

    @unittest.skipUnless(SLOW and OTEL_COLLECTOR.exists(), "in the slow set: make test-all")
    def test_an_opentelemetry_collector_forwards_profiles(self):
        collector = self.collector(tokens=TOKENS, token=ADMIN_TOKEN)
        exporter = {"endpoint": collector.url, "headers": {"Authorization": f"Bearer {INGEST_TOKEN}"}}
        url = start_otel(self, "profiles", exporter, "--feature-gates=service.profilesSupport")
        request = urllib.request.Request(f"{url}/v1development/profiles", json.dumps(OTLP).encode(), JSON)

        def accepted():
            try:
                return urllib.request.urlopen(request, timeout=60).status == 200
            except urllib.error.URLError:
                return False  # it is not up yet

        wait_until(accepted, "the OpenTelemetry collector")
        wait_until(lambda: self.of_group(collector, "shop"), "the forwarded profile")
        self.assertEqual(self.flame(collector, "shop"), {"main;work": 30_000_000})

    @unittest.skipUnless(SLOW and PYTHON.exists(), "in the slow set: make test-all")
    def test_the_python_client_of_pyroscope_works_unchanged(self):
        collector = self.collector()
        program = self.folder / "busy.py"
        program.write_text("""
import sys, time
import pyroscope
pyroscope.configure(application_name="busy.py", server_address=sys.argv[1], upload_interval=3, tags={"region": "eu"})
def work(end):
    while time.monotonic() < end:
        sum(range(1000))
work(time.monotonic() + 7)
pyroscope.shutdown()
""")
        execute(PYTHON, program, collector.url)
        self.assertGreater(self.wait_for_work(collector, "busy.py", r"\bwork\b"), 100_000_000)
