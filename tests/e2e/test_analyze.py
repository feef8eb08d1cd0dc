# SPDX-License-Identifier: Apache-2.0
"""What a job leaves behind: its event log alone, its text log alone and the live recording tell of the same jobs, stages
and tasks; a recording that `analyze` wrote gives the same answers as what it was made from."""
import csv
import json
import subprocess
import unittest
from collections import Counter

from support import REPOSITORY, SPARK_VERSIONS, Spark, TestCase, run_profiled, sparkprof

DEMO = REPOSITORY / "examples" / "demo_job.py"
LOG4J = """rootLogger.level = info
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {path}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{yy/MM/dd HH:mm:ss}} %p %c{{1}}: %m%n%ex
"""


class SameJobTest(TestCase):
    """One run of the demo job for each Spark, seen three ways."""

    def run_demo(self, version):
        spark = Spark(version)
        events = self.folder / f"events-{version}"
        events.mkdir()
        log = self.folder / f"driver-{version}.log"
        settings = self.folder / f"log4j2-{version}.properties"
        settings.write_text(LOG4J.format(path=log))
        profile = run_profiled(
            spark, self.folder / f"out-{version}",
            ["spark-submit", "--master", "local[2]", "--conf", "spark.eventLog.enabled=true",
             "--conf", f"spark.eventLog.dir=file:{events}",
             "--driver-java-options", f"-Dlog4j2.configurationFile=file:{settings} -Duser.timezone=GMT+2", DEMO],
        )
        self.assert_succeeded(profile)
        return events, log, profile

    def tables(self, *paths):
        """{table: rows} of `analyze --csv`, and its JSON."""
        folder = self.folder / f"csv-{len(list(self.folder.iterdir()))}"
        result = sparkprof("analyze", *paths, "--no-report", "--json", "--csv", folder)
        tables = {}
        for name in ("jobs", "stages", "tasks", "executors", "sql"):
            with open(folder / f"{name}.csv", newline="") as file:
                tables[name] = list(csv.DictReader(file))
        return tables, json.loads(result.stdout)

    def assert_same_job(self, one, other, tolerance_ms):
        self.assertEqual([(row["jobId"], row["status"]) for row in one["jobs"]], [(row["jobId"], row["status"]) for row in other["jobs"]])
        stages = lambda tables: {(row["stageId"], row["attemptId"], row["status"]) for row in tables["stages"]}
        self.assertEqual(stages(one), stages(other))
        tasks = lambda tables: {row["taskId"]: row for row in tables["tasks"]}
        first, second = tasks(one), tasks(other)
        self.assertEqual(first.keys(), second.keys())
        for tid, row in first.items():
            for column in ("stageId", "stageAttemptId", "index", "attempt", "status"):
                self.assertEqual(row[column], second[tid][column], f"task {tid}: {column}")
            for column in ("launchTime", "finishTime"):
                self.assertAlmostEqual(int(row[column]), int(second[tid][column]), delta=tolerance_ms, msg=f"task {tid}: {column}")

    def test_event_log_text_log_and_live_recording_tell_of_the_same_job(self):
        for version in SPARK_VERSIONS:
            with self.subTest(spark=version):
                events, log, profile = self.run_demo(version)
                by_events, answer = self.tables(events)
                self.assertGreater(len(by_events["tasks"]), 5)
                self.assertTrue(answer["applications"][0]["ended"])
                by_recording, _ = self.tables(profile.recording)
                self.assert_same_job(by_events, by_recording, 0)
                # The log's clock has neither milliseconds nor a zone.
                alone = self.folder / f"alone-{version}"
                alone.mkdir()
                (alone / "driver.log").write_bytes(log.read_bytes())
                by_log, _ = self.tables(alone, "--zone", "+02:00")
                self.assert_same_job(by_events, by_log, 1100)
                together, answer = self.tables(events, log)
                self.assert_same_job(by_events, together, 0)
                (application,) = answer["applications"]
                self.assertGreater(application["logs"]["records"]["INFO"], 50)
                self.check_recording(events, log, version)

    def check_recording(self, events, log, version):
        """What `-o` writes gives the same answers as what it was made from."""
        recording = self.folder / f"made-{version}.sprof"
        report = self.folder / f"report-{version}.html"
        first = sparkprof("analyze", events, log, "-o", recording, "--report", report, "--json")
        second = sparkprof("analyze", recording, "--no-report", "--json")
        before, after = (json.loads(result.stdout)["applications"][0] for result in (first, second))
        before.pop("report")
        self.assertEqual(before, after)
        self.assertEqual(json.loads(sparkprof("info", "--json", recording).stdout)["counts"], before["summary"]["counts"])
        tasks = lambda path: sparkprof("events", path, "tasks", "--json").stdout
        self.assertEqual(json.loads(tasks(events)), json.loads(tasks(recording)))
        self.assertIn("sparkprof-data", report.read_text()[:400_000])


class CommandLineTest(TestCase):
    def test_what_is_not_recognised_is_listed_with_the_reason(self):
        (self.folder / "picture.bin").write_bytes(b"\x00\x01\x02" * 100)
        (self.folder / "events").write_text(
            '{"Event":"SparkListenerLogStart","Spark Version":"3.5.1"}\n'
            '{"Event":"SparkListenerApplicationStart","App Name":"tiny","App ID":"app-1","Timestamp":1700000000000,"User":"me"}\n'
            '{"Event":"SparkListenerApplicationEnd","Timestamp":1700000001000}\n')
        result = sparkprof("analyze", self.folder, "--no-report", "--json")
        answer = json.loads(result.stdout)
        self.assertEqual([entry["path"].rpartition("/")[2] for entry in answer["unrecognised"]], ["picture.bin"])
        self.assertTrue(answer["unrecognised"][0]["reason"])
        self.assertEqual(answer["applications"][0]["name"], "tiny")
        text = sparkprof("analyze", self.folder, "--no-report").stdout
        self.assertIn("picture.bin", text)
        self.assertIn("1 event log", text)

    def test_several_applications_get_a_report_each_and_an_index(self):
        for number in (1, 2):
            (self.folder / f"events-{number}").write_text(
                '{"Event":"SparkListenerApplicationStart","App Name":"job %d","App ID":"app-%d","Timestamp":1700000000000}\n'
                '{"Event":"SparkListenerApplicationEnd","Timestamp":1700000001000}\n' % (number, number))
        index = self.folder / "out.html"
        sparkprof("analyze", self.folder / "events-1", self.folder / "events-2", "--report", index)
        html = index.read_text()
        for number in (1, 2):
            self.assertIn(f'href="out-app-{number}.html"', html)
            self.assertTrue((self.folder / f"out-app-{number}.html").exists())

    def test_wrong_usage_and_nothing_to_read_are_told_apart(self):
        missing = sparkprof("analyze", self.folder / "nothing", check=False)
        self.assertEqual(missing.returncode, 2)
        self.assertEqual(len(missing.stderr.strip().splitlines()), 1)
        empty = self.folder / "empty"
        empty.mkdir()
        self.assertEqual(sparkprof("analyze", empty, "--no-report", check=False).returncode, 1)
        offset = sparkprof("analyze", empty, "--zone", "noon", check=False)
        self.assertEqual(offset.returncode, 2)
        self.assertFalse(list(self.folder.glob("*.html")))


if __name__ == "__main__":
    unittest.main()
