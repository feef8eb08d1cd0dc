# SPDX-License-Identifier: Apache-2.0
"""The tab in Spark's History Server that leads to an application's page on the collector."""

import json
import os
import unittest
import urllib.error
import urllib.request

import support
from history_comparison import history_server
from support import REPOSITORY, SPARK_VERSIONS

JAR = os.environ.get("SPARKPROF_PLUGIN_JAR", str(REPOSITORY / "lib" / "sparkprof-spark.jar"))
EVENTS = (
    {"Event": "SparkListenerLogStart", "Spark Version": "4.1.1"},
    {
        "Event": "SparkListenerApplicationStart",
        "App Name": "nightly",
        "App ID": "app-20261126120000-0001",
        "Timestamp": 1795708800000,
        "User": "etl",
    },
    {
        "Event": "SparkListenerEnvironmentUpdate",
        "JVM Information": {},
        "Spark Properties": {},
        "Hadoop Properties": {},
        "System Properties": {},
        "Metrics Properties": {},
        "Classpath Entries": {},
    },
    {"Event": "SparkListenerApplicationEnd", "Timestamp": 1795708860000},
)
SERVER = "http://collector:8320/base"


class KeepRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def location(url):
    """Where a page redirects to."""
    try:
        urllib.request.build_opener(KeepRedirects).open(url)
    except urllib.error.HTTPError as redirect:
        return redirect.headers["Location"]
    return None


class HistoryTabTest(support.TestCase):
    def history(self, version, conf):
        # Without spaces: the History Server looks for the names of events in the text.
        lines = [json.dumps(event, separators=(",", ":")) + "\n" for event in EVENTS]
        (self.folder / "app-20261126120000-0001").write_text("".join(lines), encoding="utf-8")
        return history_server(self.folder, version, [JAR], conf)

    @staticmethod
    def page(api):
        return api.replace("/api/v1", "/history/app-20261126120000-0001")

    def test_an_application_has_a_tab_that_leads_to_its_page(self):
        for version in SPARK_VERSIONS:
            settings = [("spark.sparkprof.ui", "true"), ("spark.sparkprof.server", SERVER)]
            with self.subTest(version), self.history(version, settings) as api:
                with urllib.request.urlopen(self.page(api) + "/jobs/") as page:
                    self.assertIn("/history/app-20261126120000-0001/sparkprof/", page.read().decode())
                self.assertEqual(location(self.page(api) + "/sparkprof/"), f"{SERVER}/applications/app-20261126120000-0001")

    def test_without_the_setting_there_is_no_tab(self):
        with self.history(SPARK_VERSIONS[0], [("spark.sparkprof.server", SERVER)]) as api:
            with urllib.request.urlopen(self.page(api) + "/jobs/") as page:
                self.assertNotIn("sparkprof", page.read().decode())


if __name__ == "__main__":
    unittest.main()
