# SPDX-License-Identifier: Apache-2.0
"""Findings about memory on real Spark: a large fetch of the driver, and a Python worker that grows; and their cures."""

from spark_jobs import run_job
from support import EXAMPLES, TestCase, json_of, slow


@slow("Four real jobs are")
class MemoryFindingsTest(TestCase):
    def run_example(self, name, *options):
        return run_job(self.folder, EXAMPLES / name, *options, name=f"{name}{len(options)}").recording

    def finding(self, recording, rule):
        return next(finding for finding in json_of("findings", recording) if finding["rule"] == rule)

    def assert_cured(self, rule, before, after):
        findings = json_of("compare", before, after)["findings"]
        self.assertIn(rule, {finding["rule"] for finding in findings["gone"]})
        self.assertNotIn(rule, {finding["rule"] for finding in findings["new"]})

    def test_a_large_fetch_over_py4j_and_its_cure(self):
        before = self.run_example("py4j_spike.py")
        finding = self.finding(before, "large-result")
        # 64 MB and what Py4J adds to it.
        self.assertRegex(finding["title"], r"The driver program fetches 6[1-4]\.\d MiB: its memory grows by ")
        self.assertRegex(finding["what"], r"\(process \d+\) grew by .* between .* and ")
        self.assertRegex(finding["measured"], r"load \(py4j_spike\.py:\d+\), through .*\(java_gateway\.py:\d+\)")
        self.assertRegex(finding["measured"], r"no job runs then: it is in a gap of .* after job 0")
        self.assert_cured("large-result", before, self.run_example("py4j_spike.py", "--fixed"))

    def test_a_worker_that_grows_and_its_cure(self):
        before = self.run_example("growing_worker.py")
        finding = self.finding(before, "worker-growth")
        self.assertRegex(finding["what"], r"The Python worker \d+ grew from .* over \d tasks, \d+\.?\d* MiB per task")
        self.assertRegex(finding["frames"][0], r"remember \(growing_worker\.py:\d+\)")
        self.assert_cured("worker-growth", before, self.run_example("growing_worker.py", "--fixed"))
