# SPDX-License-Identifier: Apache-2.0
"""sparkprof run in the modes of Spark: the same two lines, output and exit code in each."""

import functools
import re

from collector import Collector
from spark_jobs import Cluster, Spark, run_job, run_profiled
from support import TestCase, slow, sparkprof, wait_until


def paths(profile):
    """{"report": PATH, "recording": PATH} of what was printed, each once."""
    found = re.findall(r"(?m)^sparkprof: (report|recording): (.+)$", profile.process.stderr)
    if len(found) != len(dict(found)):
        raise AssertionError(profile.process.stderr[-3000:])
    return dict(found)


class RunModesTest(TestCase):
    def assert_reported(self, profile):
        wanted = {"report": f"{profile.output}/report.html", "recording": f"{profile.output}/recording.sprof"}
        self.assertEqual(paths(profile), wanted, profile.process.stderr[-3000:])

    def test_local_cluster(self):
        self.assert_reported(run_job(self.folder, "python_shares.py", 1, 10, master="local-cluster[1,1,1024]"))

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
                profile = run_profiled(self.folder / name, command, code=code, cwd=self.folder)
                self.assertIn("21", profile.process.stdout)
                self.assert_reported(profile)

    @slow("standalone cluster mode is")
    def test_standalone_cluster_mode(self):
        conf = {"spark.driver.memory": "512m", "spark.executor.memory": "512m"}
        waiting = conf | {"spark.standalone.submit.waitAppCompletion": "true"}
        jar, options = Spark().compile_job("KnownCpu", self.folder), ["--deploy-mode", "cluster"]
        run = functools.partial(run_job, self.folder, jar, 1, 2, master=Cluster(self).url, options=options)
        refused = run(name="refused", conf=waiting, code=2)
        self.assertIn("--dir", refused.process.stderr)
        self.assertFalse(refused.output.exists())
        shared = ["--dir", self.folder / "shared"]
        self.assert_reported(run(name="waited", conf=waiting, sparkprof=shared))
        # A recording that only the collector has is fetched from it.
        with Collector(self.folder / "data") as collector:
            sent = run(name="sent", conf=waiting, sparkprof=["--server", collector.url])
        self.assert_reported(sent)
        self.assertRegex(sent.process.stderr, rf"(?m)^sparkprof: server: {collector.url}/applications/app-")
        # Without that setting, spark-submit returns as soon as the driver was started.
        segments = self.folder / "segments"
        early = run(name="early", conf=conf, sparkprof=["--dir", segments])
        self.assertEqual(paths(early), {"recording": str(segments)})
        wait_until(lambda: self.is_complete(segments), "the application to end")
        sparkprof("report", segments, "-o", self.folder / "report.html")

    def is_complete(self, folder):
        return '"complete": true' in sparkprof("info", "--json", folder, code=None).stdout.replace('"complete":true', '"complete": true')
