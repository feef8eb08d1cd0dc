# SPDX-License-Identifier: Apache-2.0
"""The collector's API and metrics, judged by tools that others wrote."""

import json
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.request
from pathlib import Path

from collector import Collector
from support import CACHE, REPOSITORY, SLOW, free_port, sparkprof, wait_until

RECORDING = REPOSITORY / "tests" / "cases" / "recordings" / "0.1.sprof"
SCHEMATHESIS = CACHE / "peers" / "schemathesis" / "bin" / "schemathesis"
# The schema cannot say which values a database has, nor that one of two parameters must be there.
UNSUITABLE_CHECKS = "positive_data_acceptance"


class ApiTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    @unittest.skipUnless(shutil.which("promtool"), "promtool is missing: install prometheus")
    def test_promtool_accepts_the_metrics(self):
        with Collector(self.folder / "data") as server:
            metrics = server.request("GET", "/metrics").body
        checked = subprocess.run(["promtool", "check", "metrics"], input=metrics, capture_output=True)
        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, b""))

    @unittest.skipUnless(shutil.which("prometheus"), "prometheus is missing")
    def test_prometheus_scrapes_the_metrics_with_a_token(self):
        tokens = self.folder / "tokens"
        tokens.write_text("read reader-0123456789abcdef\n")
        tokens.chmod(0o600)
        with Collector(self.folder / "data", "--tokens", tokens) as server:
            port = free_port()
            (self.folder / "prometheus.yml").write_text(
                json.dumps(
                    {
                        "global": {"scrape_interval": "1s"},
                        "scrape_configs": [
                            {
                                "job_name": "sparkprof",
                                "authorization": {"credentials": "reader-0123456789abcdef"},
                                "static_configs": [{"targets": [server.url.removeprefix("http://")]}],
                            }
                        ],
                    }
                )
            )
            process = subprocess.Popen(
                [
                    "prometheus",
                    f"--config.file={self.folder}/prometheus.yml",
                    f"--storage.tsdb.path={self.folder}/tsdb",
                    f"--web.listen-address=127.0.0.1:{port}",
                ],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            try:
                wait_until(lambda: self.is_up(port), "a scrape")
            finally:
                process.kill()
                process.wait()

    @unittest.skipUnless(shutil.which("prometheus"), "prometheus is missing")
    def test_prometheus_reads_the_metrics_of_jobs_with_exemplars_and_evaluates_the_rules(self):
        with Collector(self.folder / "data") as server:
            sparkprof("push", RECORDING, "--server", server.url)
            wait_until(lambda: b"sparkprof_job_runs_total{" in server.request("GET", "/metrics/jobs").body, "the metrics of the job")
            checked = subprocess.run(
                ["promtool", "check", "metrics"], input=server.request("GET", "/metrics/jobs").body, capture_output=True
            )
            self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, b""))
            shutil.copy(REPOSITORY / "deploy" / "prometheus" / "rules.yml", self.folder)
            port = free_port()
            target = {"targets": [server.url.removeprefix("http://")]}
            (self.folder / "prometheus.yml").write_text(
                json.dumps(
                    {
                        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                        "rule_files": ["rules.yml"],
                        "scrape_configs": [{"job_name": "jobs", "metrics_path": "/metrics/jobs", "static_configs": [target]}],
                    }
                )
            )
            options = [f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/tsdb"]
            options += [f"--web.listen-address=127.0.0.1:{port}", "--enable-feature=exemplar-storage"]
            process = subprocess.Popen(["prometheus", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                wait_until(lambda: self.results(port, "group:sparkprof_job_runs:increase1d"), "the recording rules")
                [runs] = self.results(port, "sparkprof_job_runs_total")
                self.assertEqual((runs["metric"]["group"], runs["metric"]["status"], runs["value"][1]), ("golden", "finished", "1"))
                query = "query_exemplars?query=sparkprof_job_duration_seconds_bucket&start=0&end=9999999999"
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/{query}") as answer:
                    [series] = json.load(answer)["data"]
                self.assertTrue(series["exemplars"][0]["labels"]["application"])
            finally:
                process.kill()
                process.wait()

    def test_the_dashboard_and_rules_of_jobs_use_metrics_that_exist(self):
        texts = [(REPOSITORY / "deploy" / name).read_text() for name in ("grafana-jobs.json", "prometheus/rules.yml")]
        asked = set(re.findall(r"(?<!:)\bsparkprof_job_\w+(?=[{\[) ])", " ".join(texts).replace('\\"', '"')))
        with Collector(self.folder / "data") as server:
            sparkprof("push", RECORDING, "--server", server.url)
            wait_until(lambda: b"sparkprof_job_runs_total{" in server.request("GET", "/metrics/jobs").body, "the metrics of the job")
            answered = set(re.findall(r"^(sparkprof_\w+)\{", server.request("GET", "/metrics/jobs").body.decode(), re.MULTILINE))
        self.assertGreater(len(asked), 4)
        self.assertEqual(asked - answered, set())

    def results(self, port, query):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?query={query}") as answer:
                return json.load(answer)["data"]["result"]
        except OSError:
            return []

    def is_up(self, port):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?query=sparkprof_resident_bytes") as answer:
                return bool(json.load(answer)["data"]["result"])
        except OSError:
            return False

    @unittest.skipUnless(SLOW and SCHEMATHESIS.exists(), "in the slow set: make test-all; scripts/setup peers installs schemathesis")
    def test_requests_that_schemathesis_makes_up_are_answered_as_the_schema_promises(self):
        with Collector(self.folder / "data") as server:
            checked = subprocess.run(
                [
                    SCHEMATHESIS,
                    "run",
                    f"{server.url}/api/openapi.json",
                    "--url",
                    server.url,
                    "--max-examples",
                    "50",
                    "--exclude-checks",
                    UNSUITABLE_CHECKS,
                    "--seed",
                    "1",
                    "--no-color",
                ],
                cwd=self.folder,
                capture_output=True,
                text=True,
            )
            self.assertEqual(checked.returncode, 0, checked.stdout[-10_000:])
            self.assertEqual(server.request("GET", "/healthz").status, 200)


if __name__ == "__main__":
    unittest.main()
