# SPDX-License-Identifier: Apache-2.0
"""sparkprof run in the modes of Spark: the same two lines, output and exit code in each."""

import re

from collector import Collector
from support import JOBS, Cluster, Spark, TestCase, run_profiled, slow, sparkprof, wait_until


def paths(profile):
    """{"report": PATH, "recording": PATH} of what was printed, each once."""
    found = re.findall(r"(?m)^sparkprof: (report|recording): (.+)$", profile.process.stderr)
    if len(found) != len(dict(found)):
        raise AssertionError(profile.process.stderr[-3000:])
    return dict(found)


class RunModesTest(TestCase):
    def setUp(self):
        super().setUp()
        self.spark = Spark("4.1.1")

    def assert_reported(self, profile):
        output = profile.output
        self.assertEqual(
            paths(profile), {"report": f"{output}/report.html", "recording": f"{output}/recording.sprof"}, profile.process.stderr[-3000:]
        )

    def test_local_cluster(self):
        profile = run_profiled(
            self.spark, self.folder / "out", ["spark-submit", "--master", "local-cluster[1,1,1024]", JOBS / "python_shares.py", "1", "10"]
        )
        self.assert_succeeded(profile)
        self.assert_reported(profile)

    @slow("spark-sql and the shells are")
    def test_shells(self):
        statement = self.folder / "statement.sql"
        statement.write_text("select 17 + 4;\n")
        script = self.folder / "script.scala"
        script.write_text("println(spark.range(21).count)\nSystem.exit(3)\n")
        for name, command, code in (
            ("sql", ["spark-sql", "--master", "local[1]", "-f", statement], 0),
            ("shell", ["spark-shell", "--master", "local[1]", "-i", script], 3),
        ):
            with self.subTest(shell=name):
                profile = run_profiled(self.spark, self.folder / name, command, cwd=self.folder)
                self.assertEqual(profile.process.returncode, code, profile.process.stderr[-3000:])
                self.assertIn("21", profile.process.stdout)
                self.assert_reported(profile)

    def test_standalone_cluster_mode(self):
        cluster = Cluster(self.spark, self.folder)
        self.addCleanup(cluster.close)
        jar = self.spark.compile_job("KnownCpu", self.folder)
        submit = [
            "spark-submit",
            "--master",
            cluster.url,
            "--deploy-mode",
            "cluster",
            "--driver-memory",
            "512m",
            "--executor-memory",
            "512m",
        ]
        job = ["--class", "KnownCpu", jar, "1", "2"]
        wait = ["--conf", "spark.standalone.submit.waitAppCompletion=true"]
        refused = run_profiled(self.spark, self.folder / "refused", [*submit, *wait, *job])
        self.assertEqual(refused.process.returncode, 2, refused.process.stderr)
        self.assertIn("--dir", refused.process.stderr)
        self.assertFalse(refused.output.exists())
        shared = ["--dir", str(self.folder / "shared")]
        waited = run_profiled(self.spark, self.folder / "waited", [*submit, *wait, *job], shared)
        self.assert_succeeded(waited)
        self.assert_reported(waited)
        # A recording that only the collector has is fetched from it.
        with Collector(self.folder / "data") as collector:
            sent = run_profiled(self.spark, self.folder / "sent", [*submit, *wait, *job], ["--server", collector.url])
        self.assert_succeeded(sent)
        self.assert_reported(sent)
        self.assertRegex(sent.process.stderr, rf"(?m)^sparkprof: server: {collector.url}/applications/app-")
        # Without that setting, spark-submit returns as soon as the driver was started.
        segments = self.folder / "segments"
        early = run_profiled(self.spark, self.folder / "early", [*submit, *job], ["--dir", str(segments)])
        self.assert_succeeded(early)
        self.assertEqual(paths(early), {"recording": str(segments)})
        wait_until(lambda: self.is_complete(segments), "the application to end")
        sparkprof("report", segments, "-o", self.folder / "report.html")

    def is_complete(self, folder):
        return '"complete": true' in sparkprof("info", "--json", folder, check=False).stdout.replace('"complete":true', '"complete": true')
