# SPDX-License-Identifier: Apache-2.0
"""Allocations have the user's function and line in each kind of Python function, in a classic session and in Spark Connect."""

import re

from connect_client import client_packages
from spark_jobs import Spark, run_profiled, submit
from support import JOBS, TestCase, slow, weight_of

JOB = "python_memory_kinds.py"
BYTES, FUNCTIONS = 30_000_000, 11  # planted by JOB


@slow("memory of each kind of Python function is")
class PythonMemoryKindsTest(TestCase):
    def check(self, profile):
        lines = re.findall(r"^([\w.]+) (\d+)$", profile.process.stdout, re.MULTILINE)
        self.assertEqual(len(lines), FUNCTIONS)
        stacks = {stack: weight for stack, weight in profile.collapsed("--event", "pyalloc").items() if ";[python worker];" in stack}
        for name, line in lines:
            calls = weight_of(stacks, f";{name} ({JOB}:{line})") / BYTES
            with self.subTest(function=name, calls=calls):
                self.assertGreaterEqual(round(calls), 1)
                self.assertAlmostEqual(calls, round(calls), delta=0.05)

    def test_in_a_classic_session(self):
        self.check(run_profiled(self.folder / "out", submit(JOB), Spark()))

    def test_in_spark_connect(self):
        spark = Spark()
        command = ["python", JOBS / JOB, "local[2]"]
        self.check(run_profiled(self.folder / "out", command, spark, PYTHONPATH=client_packages(spark)))
