# SPDX-License-Identifier: Apache-2.0
"""The tab in Spark's History Server with the findings that the collector has about an application."""

import html
import json
import urllib.request

from collector import Collector
from history_comparison import history_server
from small_logs import event_log
from spark_jobs import SPARK_VERSIONS
from support import DEADLINE, PLUGIN_JAR, TestCase, json_of

ID = "app-20261126120000-0001"
PROPERTIES = ("JVM Information", *(f"{kind} Properties" for kind in ("Spark", "Hadoop", "System", "Metrics")), "Classpath Entries")
EVENTS = (
    {"Event": "SparkListenerLogStart", "Spark Version": "4.1.1"},
    {"Event": "SparkListenerApplicationStart", "App Name": "nightly", "App ID": ID, "Timestamp": 1795708800000, "User": "etl"},
    {"Event": "SparkListenerEnvironmentUpdate", **dict.fromkeys(PROPERTIES, {})},
    {"Event": "SparkListenerApplicationEnd", "Timestamp": 1795708860000},
)
NO_SERVER = "http://127.0.0.1:1/base"


def read(url):
    with urllib.request.urlopen(url, timeout=DEADLINE) as page:
        return page.read().decode()


class HistoryTabTest(TestCase):
    def history(self, version, *conf):
        # Without spaces: the History Server looks for the names of events in the text.
        lines = [json.dumps(event, separators=(",", ":")) + "\n" for event in EVENTS]
        logs = self.folder / "history"
        logs.mkdir(exist_ok=True)
        (logs / ID).write_text("".join(lines), encoding="utf-8")
        return history_server(logs, version, [PLUGIN_JAR], conf)

    @staticmethod
    def page(api):
        return api.replace("/api/v1", f"/history/{ID}")

    def collector(self, **options):
        """A collector with an application of the same ID, which has a straggler."""
        watched = self.folder / "watched"
        watched.mkdir()
        (watched / ID).write_bytes(event_log(ID, ("30 duration=1000", "1 duration=30000"), ()))
        server = self.enter(Collector(self.folder / "data", "--watch", watched, **options))
        return server, json_of("findings", watched / ID)

    def test_an_application_has_a_tab_with_its_findings(self):
        server, expected = self.collector()
        server.wait_for(bool, "the application")
        self.assertEqual(server.get(f"/applications/{ID}/findings").json()["findings"], expected)
        self.assertIn("straggler", [finding["rule"] for finding in expected])
        for version in SPARK_VERSIONS:
            settings = [("spark.sparkprof.ui", "true"), ("spark.sparkprof.server", server.url)]
            with self.subTest(version), self.history(version, *settings) as api:
                self.assertIn(f"/history/{ID}/sparkprof/", read(self.page(api) + "/jobs/"))
                tab = read(self.page(api) + "/sparkprof/")
                self.assertIn(f'href="{server.url}/applications/{ID}"', tab)
                self.assertIn(f"/history/{ID}/executors/", tab)
                for finding in expected:
                    self.assertIn(f"<td>{finding['severity']}</td><td>{finding['title']}", html.unescape(tab))

    def test_the_tab_reads_with_a_token_of_its_own(self):
        reader = self.folder / "reader"
        reader.write_text("reader-0123456789abcdef\n")
        tokens = "ingest sender-0123456789abcdef\nread reader-0123456789abcdef\n"
        server, expected = self.collector(tokens=tokens, token="reader-0123456789abcdef")
        server.wait_for(bool, "the application")
        settings = [
            ("spark.sparkprof.ui", "true"),
            ("spark.sparkprof.server", server.url),
            ("spark.sparkprof.server.token", "sender-0123456789abcdef"),
        ]
        with self.history(SPARK_VERSIONS[0], *settings) as api:
            self.assertIn("the token's role does not allow this", html.unescape(read(self.page(api) + "/sparkprof/")))
        with self.history(SPARK_VERSIONS[0], *settings, ("spark.sparkprof.ui.tokenFile", reader)) as api:
            self.assertIn(expected[0]["title"], html.unescape(read(self.page(api) + "/sparkprof/")))

    def test_a_collector_that_does_not_answer_leaves_a_sentence_and_all_other_tabs(self):
        with self.history(SPARK_VERSIONS[0], ("spark.sparkprof.ui", "true"), ("spark.sparkprof.server", NO_SERVER)) as api:
            tab = read(self.page(api) + "/sparkprof/")
            self.assertIn("No answer from the collector: Connection refused", tab)
            self.assertIn(f'href="{NO_SERVER}/applications/{ID}"', tab)
            self.assertIn("nightly", read(self.page(api) + "/jobs/"))

    def test_without_the_setting_there_is_no_tab(self):
        with self.history(SPARK_VERSIONS[0], ("spark.sparkprof.server", NO_SERVER)) as api:
            self.assertNotIn("sparkprof", read(self.page(api) + "/jobs/"))
