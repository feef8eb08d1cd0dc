# SPDX-License-Identifier: Apache-2.0
"""Inputs that a job leaves: its event log alone, its text log alone and the live recording tell of the same jobs, stages
and tasks; a recording that `analyze` wrote gives the same answers as what it was made from."""

import csv

from spark_jobs import SPARK_VERSIONS, Spark, run_job
from support import EXAMPLES, TestCase, json_of

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
        events = self.folder / f"events-{version}"
        events.mkdir()
        log = self.folder / f"driver-{version}.log"
        settings = self.folder / f"log4j2-{version}.properties"
        settings.write_text(LOG4J.format(path=log))
        java = f"-Dlog4j2.configurationFile=file:{settings} -Duser.timezone=GMT+2"
        conf = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file:{events}", "spark.driver.extraJavaOptions": java}
        profile = run_job(self.folder, EXAMPLES / "demo_job.py", name=f"out-{version}", spark=Spark(version), conf=conf)
        return events, log, profile

    def tables(self, *paths):
        """{table: rows} of `analyze --csv`, and its JSON."""
        folder = self.folder / f"csv-{len(list(self.folder.iterdir()))}"
        analyzed = json_of("analyze", *paths, "--no-report", "--csv-dir", folder)
        tables = {}
        for name in ("jobs", "stages", "tasks", "executors", "sql"):
            with open(folder / f"{name}.csv", newline="") as file:
                tables[name] = list(csv.DictReader(file))
        return tables, analyzed

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
        """The output of `-o` gives the same answers as its inputs."""
        recording = self.folder / f"made-{version}.sprof"
        report = self.folder / f"report-{version}.html"
        [before] = json_of("analyze", events, log, "-o", recording, "--report", report)["applications"]
        [after] = json_of("analyze", recording, "--no-report")["applications"]
        before.pop("report")
        self.assertEqual(before, after)
        self.assertEqual(json_of("info", recording)["counts"], before["summary"]["counts"])
        self.assertEqual(json_of("show", "tasks", events), json_of("show", "tasks", recording))
        self.assertIn("sparkprof-data", report.read_text()[:400_000])
