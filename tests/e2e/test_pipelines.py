# SPDX-License-Identifier: Apache-2.0
"""Declarative Pipelines of Spark 4.1 and later: flows and datasets as cuts of flame graphs and tables."""

import json
import unittest

from connect_client import client_packages
from support import JOBS, Spark, TestCase, run_profiled, sparkprof

BURNT_S = 2  # 1000 rows times 2 ms
FLOWS = {
    "flow:spark_catalog.default.burnt": "dataset:spark_catalog.default.burnt",
    "flow:spark_catalog.default.copy_numbers": "dataset:copies",
    "flow:spark_catalog.default.numbers": "dataset:spark_catalog.default.numbers",
}


class PipelinesTest(TestCase):
    def test_flows_and_datasets_select_what_they_ran(self):
        spark = Spark("4.3.0")
        packages = client_packages(spark)
        spec = self.folder / "spark-pipeline.yml"
        (self.folder / "transformations").symlink_to(JOBS / "pipeline" / "transformations")
        storage = (self.folder / "storage").as_uri()
        spec.write_text(f'name: sales\nstorage: "{storage}"\nlibraries:\n  - glob:\n      include: transformations/**\n')
        profile = run_profiled(
            spark,
            self.folder / "out",
            ["spark-pipelines", "run", "--spec", spec, "--remote", "local[2]"],
            cwd=self.folder,
            PYTHONPATH=packages,
        )
        self.assert_succeeded(profile)
        tags = {row["tag"]: row for row in json.loads(sparkprof("show", "tags", profile.recording, "--json").stdout)}
        self.assertEqual({tag for tag in tags if tag.startswith("flow:")}, set(FLOWS))
        for flow, dataset in FLOWS.items():
            self.assertEqual((tags[flow]["numJobs"], tags[dataset]["numJobs"]), (1, 1))
        slow = "flow:spark_catalog.default.burnt"
        self.assertEqual(max(FLOWS, key=lambda flow: tags[flow]["executorRunTime"]), slow)

        def burnt(tag):
            return sum(weight for stack, weight in profile.collapsed("--job-tag", tag).items() if "burn (numbers.py" in stack) / 1e9

        for tag in (slow, FLOWS[slow]):
            self.assertAlmostEqual(burnt(tag), BURNT_S, delta=0.15 * BURNT_S)
        for tag in set(FLOWS) - {slow}:
            self.assertEqual(burnt(tag), 0)
        stages = json.loads(sparkprof("show", "jobs", profile.recording, "--job-tag", slow, "--json").stdout)
        self.assertEqual([row["work"] for row in stages], ["scan numbers → Python burn → write"])
        self.assertIn("flow spark_catalog.default.burnt", sparkprof("analyze", profile.recording, "--no-report").stdout)


if __name__ == "__main__":
    unittest.main()
