# SPDX-License-Identifier: Apache-2.0
"""The collector's API and metrics, judged by tools that others wrote."""

import contextlib
import json
import re
import shutil
import unittest
import urllib.request

from collector import Collector
from support import OLD_RECORDING, PEERS, REPOSITORY, SLOW, TestCase, execute, free_port, wait_until

SCHEMATHESIS = PEERS / "schemathesis" / "bin" / "schemathesis"
# The schema cannot say which values a database has, nor that one of two parameters must be there.
UNSUITABLE_CHECKS = "positive_data_acceptance"


class ApiTest(TestCase):
    def setUp(self):
        super().setUp()
        self.port = free_port()

    def assert_promtool_accepts(self, metrics):
        checked = execute("promtool", "check", "metrics", input=metrics)
        self.assertEqual(checked.stdout + checked.stderr, "")

    def start_prometheus(self, server, job, *options, **configuration):
        """A Prometheus that scrapes the server each second."""
        target = {"static_configs": [{"targets": [server.url.removeprefix("http://")]}]}
        configuration |= {"global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "scrape_configs": [target | job]}
        (self.folder / "prometheus.yml").write_text(json.dumps(configuration))
        places = [f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/tsdb"]
        self.start("prometheus", *places, f"--web.listen-address=127.0.0.1:{self.port}", *options)

    def asked(self, query):
        """The data of Prometheus' answer; none while it starts."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{query}") as answer:
                return json.load(answer)["data"]
        except OSError:
            return {"result": []}

    @contextlib.contextmanager
    def with_job(self):
        with Collector(self.folder / "data") as server:
            server.push(OLD_RECORDING)
            wait_until(lambda: "sparkprof_job_runs_total{" in server.metrics("/metrics/jobs"), "the metrics of the job")
            yield server

    @unittest.skipUnless(shutil.which("promtool"), "promtool is missing: install prometheus")
    def test_promtool_accepts_the_metrics(self):
        with Collector(self.folder / "data") as server:
            self.assert_promtool_accepts(server.metrics())

    @unittest.skipUnless(shutil.which("prometheus"), "prometheus is missing")
    def test_prometheus_scrapes_the_metrics_with_a_token(self):
        with Collector(self.folder / "data", tokens="read reader-0123456789abcdef\n") as server:
            self.start_prometheus(server, {"job_name": "sparkprof", "authorization": {"credentials": "reader-0123456789abcdef"}})
            wait_until(lambda: self.asked("query?query=sparkprof_resident_bytes")["result"], "a scrape")

    @unittest.skipUnless(shutil.which("prometheus"), "prometheus is missing")
    def test_prometheus_reads_the_metrics_of_jobs_with_exemplars_and_evaluates_the_rules(self):
        with self.with_job() as server:
            self.assert_promtool_accepts(server.metrics("/metrics/jobs"))
            shutil.copy(REPOSITORY / "deploy" / "prometheus" / "rules.yml", self.folder)
            job = {"job_name": "jobs", "metrics_path": "/metrics/jobs"}
            self.start_prometheus(server, job, "--enable-feature=exemplar-storage", rule_files=["rules.yml"])
            wait_until(lambda: self.asked("query?query=group:sparkprof_job_runs:increase1d")["result"], "the recording rules")
            [runs] = self.asked("query?query=sparkprof_job_runs_total")["result"]
            self.assertEqual((runs["metric"]["group"], runs["metric"]["status"], runs["value"][1]), ("golden", "finished", "1"))
            [series] = self.asked("query_exemplars?query=sparkprof_job_duration_seconds_bucket&start=0&end=9999999999")
            self.assertTrue(series["exemplars"][0]["labels"]["application"])

    def test_the_dashboard_and_rules_of_jobs_use_metrics_that_exist(self):
        texts = [(REPOSITORY / "deploy" / name).read_text() for name in ("grafana-jobs.json", "prometheus/rules.yml")]
        asked = set(re.findall(r"(?<!:)\bsparkprof_job_\w+(?=[{\[) ])", " ".join(texts).replace('\\"', '"')))
        with self.with_job() as server:
            answered = set(re.findall(r"^(sparkprof_\w+)\{", server.metrics("/metrics/jobs"), re.MULTILINE))
        self.assertGreater(len(asked), 4)
        self.assertEqual(asked - answered, set())

    @unittest.skipUnless(SLOW and SCHEMATHESIS.exists(), "in the slow set: make test-all; scripts/setup peers installs schemathesis")
    def test_requests_that_schemathesis_makes_up_are_answered_as_the_schema_promises(self):
        with Collector(self.folder / "data") as server:
            options = ["--max-examples", "50", "--exclude-checks", UNSUITABLE_CHECKS, "--seed", "1", "--no-color"]
            execute(SCHEMATHESIS, "run", f"{server.url}/api/openapi.json", "--url", server.url, *options, cwd=self.folder)
            self.assertEqual(server.health().status, 200)
