# SPDX-License-Identifier: Apache-2.0
"""Declarative Pipelines of Spark 4.1 and later: flows and datasets as cuts of flame graphs and tables."""

from connect_client import client_packages
from spark_jobs import Spark, run_profiled
from support import JOBS, TestCase, sparkprof

BURNT_S = 2  # 1000 rows times 2 ms
FLOWS = {
    "flow:spark_catalog.default.burnt": "dataset:spark_catalog.default.burnt",
    "flow:spark_catalog.default.copy_numbers": "dataset:copies",
    "flow:spark_catalog.default.numbers": "dataset:spark_catalog.default.numbers",
}


class PipelinesTest(TestCase):
    def test_flows_and_datasets_select_what_they_ran(self):
        spark = Spark("4.3.0")
        spec = self.folder / "spark-pipeline.yml"
        (self.folder / "transformations").symlink_to(JOBS / "pipeline" / "transformations")
        storage = (self.folder / "storage").as_uri()
        spec.write_text(f'name: sales\nstorage: "{storage}"\nlibraries:\n  - glob:\n      include: transformations/**\n')
        command = ["spark-pipelines", "run", "--spec", spec, "--remote", "local[2]"]
        profile = run_profiled(self.folder / "out", command, spark, cwd=self.folder, PYTHONPATH=client_packages(spark))
        tags = {row["tag"]: row for row in profile.show("tags")}
        self.assertEqual({tag for tag in tags if tag.startswith("flow:")}, set(FLOWS))
        for flow, dataset in FLOWS.items():
            self.assertEqual((tags[flow]["numJobs"], tags[dataset]["numJobs"]), (1, 1))
        slow = "flow:spark_catalog.default.burnt"
        self.assertEqual(max(FLOWS, key=lambda flow: tags[flow]["executorRunTime"]), slow)

        def burnt(tag):
            return profile.seconds("burn (numbers.py", "--job-tag", tag)

        for tag in (slow, FLOWS[slow]):
            self.assertAlmostEqual(burnt(tag), BURNT_S, delta=0.15 * BURNT_S)
        for tag in set(FLOWS) - {slow}:
            self.assertEqual(burnt(tag), 0)
        stages = profile.show("jobs", "--job-tag", slow)
        self.assertEqual([row["work"] for row in stages], ["scan numbers → Python burn → write"])
        self.assertIn("flow spark_catalog.default.burnt", sparkprof("analyze", profile.recording, "--no-report").stdout)
