# SPDX-License-Identifier: Apache-2.0
"""What logs look like when their makers were careless: odd containers, odd clocks, odd targets for what is written."""
import json
import os
import subprocess
import unittest
import zipfile

from support import TestCase, sparkprof

START_MS = 1_700_000_000_000
DAY_MS = 86_400_000


def event(name, **fields):
    return json.dumps({"Event": "SparkListener" + name, **fields}) + "\n"


def event_log(*more):
    return "".join([
        event("LogStart", **{"Spark Version": "3.5.1"}),
        event("ApplicationStart", **{"App Name": "etl", "App ID": "app-20231114221320-0001", "Timestamp": START_MS}),
        *more,
        event("JobStart", **{"Job ID": 0, "Submission Time": START_MS + 5000, "Stage IDs": []}),
        event("JobEnd", **{"Job ID": 0, "Completion Time": START_MS + 9000, "Job Result": {"Result": "JobSucceeded"}})])


class HostileLogs(TestCase):
    def test_the_history_servers_zip_has_nothing_that_is_not_recognised(self):
        # Its empty status file is compressed, and so not of size 0.
        name = "eventlog_v2_app-20231114221320-0001"
        with zipfile.ZipFile(self.folder / "logs.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name + "/appstatus_app-20231114221320-0001", b"")
            archive.writestr(name + "/events_1_app-20231114221320-0001", event_log())
        result = sparkprof("events", self.folder / "logs.zip", "jobs", "--json")
        self.assertEqual(len(json.loads(result.stdout)), 1)
        self.assertEqual(result.stderr, "")

    def test_events_of_a_wrong_clock_do_not_stretch_the_application_and_are_told_of(self):
        strayed = event("ExecutorAdded", **{"Timestamp": START_MS + 900 * DAY_MS, "Executor ID": "1",
                                            "Executor Info": {"Host": "h", "Total Cores": 4}})
        (self.folder / "log").write_text(event_log(strayed))
        result = sparkprof("analyze", self.folder / "log", "--no-report")
        self.assertIn(" 9.0 s ", result.stdout)
        self.assertIn("1 event is stamped more than a day after", result.stdout)
        # The same from the recording that is made of it.
        sparkprof("analyze", self.folder / "log", "--no-report", "-o", self.folder / "made.sprof")
        self.assertIn(" 9.0 s ", sparkprof("info", self.folder / "made.sprof").stdout)

    def test_stacks_without_time_are_told_of_in_the_summary(self):
        (self.folder / "s_1_stack.json").write_text(json.dumps({"stacktrace": ["a.py:f:1", "a.py:main:9"], "count": 3}) + "\n")
        result = sparkprof("analyze", self.folder / "s_1_stack.json", "--no-report")
        self.assertIn("PySpark stack records have no timestamps", result.stdout)

    def test_an_application_that_nothing_names_is_called_by_its_file(self):
        (self.folder / "driver.log").write_text("24/01/01 10:00:00 INFO SparkContext: Running Spark version 3.5.7\n")
        result = sparkprof("analyze", "driver.log", "--no-report", cwd=self.folder)
        self.assertTrue(result.stdout.startswith("driver.log"))

    def test_a_number_that_is_too_small_is_refused_in_a_short_line(self):
        result = sparkprof("events", "log", "jobs", "--limit", "-1", check=False)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, "sparkprof: --limit: -1 must be at least 0; see `sparkprof --help`\n")

    def test_a_report_into_a_device_leaves_the_device(self):
        (self.folder / "log").write_text(event_log())
        os.mkfifo(self.folder / "pipe")
        with open(self.folder / "page", "wb") as page:
            reader = subprocess.Popen(["timeout", "100", "cat", self.folder / "pipe"], stdout=page)
        sparkprof("analyze", self.folder / "log", "--report", self.folder / "pipe")
        self.assertEqual(reader.wait(), 0)
        self.assertTrue((self.folder / "page").read_bytes().startswith(b"<!doctype html>"))
        self.assertTrue((self.folder / "pipe").is_fifo())


if __name__ == "__main__":
    unittest.main()
