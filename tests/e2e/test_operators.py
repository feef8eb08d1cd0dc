# SPDX-License-Identifier: Apache-2.0
"""What the operators of SQL plans cost, against what Spark measures and against the samples as a whole."""
import json
import pathlib
import tempfile
import unittest

from support import JOBS, VERSIONS_OF_LONG_TESTS, Spark, run_profiled, sparkprof


class OperatorsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_operators_cost_what_spark_measures_and_together_what_was_sampled(self):
        for version in VERSIONS_OF_LONG_TESTS:
            with self.subTest(spark=version):
                self.check(Spark(version))

    def check(self, spark):
        profile = run_profiled(
            spark, self.folder / spark.version,
            ["spark-submit", "--master", "local[1]", "--conf", "spark.sql.shuffle.partitions=1", JOBS / "operators.py", 300_000],
            options=["--cpu-interval", "2ms", "--wall-interval", "10ms"],
        )
        self.assertEqual(profile.process.returncode, 0, profile.process.stderr)
        operators = json.loads(sparkprof("operators", profile.recording, "--json").stdout)
        by_name = {}
        for one in operators:
            by_name.setdefault(one["name"].split(" ")[0], []).append(one)
        for name in ("Sort", "HashAggregate", "Exchange", "ShuffledHashJoin", "BatchEvalPython", "InMemoryTableScan"):
            self.assertGreater(sum(one["cpuMs"] or 0 for one in by_name[name]), 0, name)
        # The function burns nearly all of its query's CPU time, in the Python worker.
        python = by_name["BatchEvalPython"][0]
        query = [one["cpuMs"] or 0 for one in operators if one["sql"] == python["sql"]]
        self.assertGreater(python["cpuMs"], 0.5 * sum(query))
        flame = profile.collapsed("--sql", python["sql"], "--node", python["node"])
        self.assertAlmostEqual(sum(flame.values()) / 1e6, python["cpuMs"], delta=1)
        self.assertTrue(any("burn" in stack for stack in flame))

        measured = [one for each in operators for one in each["measured"] if one["metricMs"] >= 500]
        self.assertTrue(measured)
        for one in measured:
            self.assertAlmostEqual(one["sampledMs"], one["metricMs"], delta=0.1 * one["metricMs"] + 50, msg=one)

        stages = json.loads(sparkprof("events", profile.recording, "stages", "--json").stdout)
        self.assertIn("Python burn", " ".join(stage["work"] or "" for stage in stages))
        versions = json.loads(sparkprof("events", profile.recording, "sql", "--json").stdout)
        self.assertTrue(any("AQEShuffleRead" in change for sql in versions for version in sql["planVersions"] for change in version["changes"])
                        or all(not sql["planVersions"] for sql in versions))
