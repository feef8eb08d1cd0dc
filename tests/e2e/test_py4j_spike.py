# SPDX-License-Identifier: Apache-2.0
"""The riddle Py4J spike: the driver's memory, the process that had it, and the frames on both sides in one recording."""

import csv

from spark_jobs import Spark, run_job, run_profiled
from support import EXAMPLES, TestCase, sparkprof, weight_of

JOB, MEGABYTES = EXAMPLES / "py4j_spike.py", 24
MIB = 1 << 20


class Py4jSpikeTest(TestCase):
    def check(self, profile):
        self.assertIn(f"rows: {MEGABYTES * 1000}", profile.process.stdout)
        self.check_frames(profile)
        self.check_memory(profile)

    def check_frames(self, profile):
        both = profile.collapsed("--event", "cpu")
        wall = profile.collapsed("--event", "wall")
        script = "[python driver];<module> (py4j_spike.py:"

        def total(stacks, *parts):
            return weight_of(stacks, *parts) / 1e9

        # Python's side: receives, waits, parses.
        self.assertGreater(total(both, script, "load (py4j_spike.py:", "(java_gateway.py:"), 0.02)
        self.assertGreater(total(both, script, "parse (py4j_spike.py:"), 0)
        self.assertGreater(total(wall, script, "load (py4j_spike.py:", "[waiting for the JVM]"), 0.1)
        # The JVM's side: makes the answer.
        self.assertGreater(total(both, "py4j.ClientServerConnection.run;", "py4j.commands.CallCommand.execute;"), 0.02)
        self.assertGreater(total(wall, "py4j.ClientServerConnection.run;", "py4j.commands.CallCommand.execute;"), 0.1)
        # Each side alone.
        self.assertEqual(total(profile.collapsed("--language", "jvm"), "py4j_spike.py"), 0)
        python = profile.collapsed("--language", "python")
        # The interpreter has no frames while it starts and ends.
        self.assertEqual({stack.split(";")[0] for stack in python}, {"[python driver]"})

    def check_memory(self, profile):
        sparkprof("analyze", profile.recording, "--no-report", "--csv-dir", profile.output / "tables")
        series = {}
        with open(profile.output / "tables" / "series.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                series.setdefault(row["name"], {}).setdefault(row["pid"], []).append(float(row["value"]))
        (jvm,) = series["jvm.heap_used_bytes"]
        (program,) = set(series["process.rss_peak_bytes"]) - {jvm}
        for pid in (program, jvm):
            growth = max(series["process.rss_peak_bytes"][pid]) - series["process.rss_bytes"][pid][0]
            self.assertGreater(growth, 2 * MEGABYTES * MIB, f"process {pid}")

    def test_a_script_that_spark_submit_runs(self):
        self.check(run_job(self.folder, JOB, MEGABYTES))

    def test_a_script_that_starts_spark_itself(self):
        self.check(run_profiled(self.folder / "out", ["python", JOB, MEGABYTES], Spark("3.5.7")))
