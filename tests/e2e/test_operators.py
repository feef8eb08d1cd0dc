# SPDX-License-Identifier: Apache-2.0
"""The cost of SQL operators, against what Spark measures and against the samples as a whole."""

from spark_jobs import SPARK_VERSIONS, Spark, run_job
from support import TestCase, slow


class OperatorsTest(TestCase):
    def profile(self, spark, rows):
        conf = {"spark.driver.memory": "4g", "spark.sql.shuffle.partitions": 1}
        intervals = ["--cpu-interval", "2ms", "--wall-interval", "10ms"]
        profile = run_job(
            *(self.folder, "operators.py", rows), name=spark.version, spark=spark, master="local[1]", conf=conf, sparkprof=intervals
        )
        return profile, profile.show("operators")

    def test_each_operator_has_its_own_cost_and_its_flame_graph(self):
        profile, operators = self.profile(Spark("4.1.1"), 80_000)
        by_name = {}
        for one in operators:
            by_name.setdefault(one["name"].split(" ")[0], []).append(one)
        for name in ("Sort", "HashAggregate", "Exchange", "ShuffledHashJoin", "BatchEvalPython", "InMemoryTableScan"):
            self.assertGreater(sum(one["cpuMs"] or 0 for one in by_name[name]), 0, name)
        self.assertFalse([one for one in operators if one["name"].startswith(("WholeStageCodegen", "AdaptiveSparkPlan"))])
        # The function burns most of its query's CPU time, in the Python worker.
        python = by_name["BatchEvalPython"][0]
        query = sum(one["cpuMs"] or 0 for one in operators if one["sql"] == python["sql"])
        self.assertGreater(python["cpuMs"], 0.5 * query)
        flame = profile.collapsed("--sql", python["sql"], "--node", python["node"])
        self.assertAlmostEqual(sum(flame.values()) / 1e6, python["cpuMs"], delta=1)
        self.assertTrue(any("burn" in stack for stack in flame))
        # Each sample counts once.
        sampled = sum(profile.collapsed("--sql", python["sql"]).values()) / 1e6
        self.assertLessEqual(query, sampled + 1)

        stages = profile.show("stages")
        self.assertIn("Python burn", " ".join(stage["work"] or "" for stage in stages))
        self.assertIn("sort", " ".join(stage["work"] or "" for stage in stages))

    @slow("comparing samples with Spark's own times is")
    def test_samples_agree_with_what_spark_measures(self):
        for version in SPARK_VERSIONS:
            with self.subTest(spark=version):
                operators = self.profile(Spark(version), 4_000_000)[1]
                measured = [(one["name"], each) for one in operators for each in one["measured"] if each["metricMs"] >= 1000]
                measured = [(name, each) for name, each in measured if each["sampledMs"] is not None]
                self.assertTrue({"sort time", "time in aggregation build"} <= {each["metric"] for _, each in measured})
                for name, each in measured:
                    # Samples of aggregations were up to 15% above Spark's metric.
                    error = 0.2 if each["metric"] == "time in aggregation build" else 0.1
                    self.assertAlmostEqual(each["sampledMs"], each["metricMs"], delta=error * each["metricMs"], msg=f"{name}: {each}")
