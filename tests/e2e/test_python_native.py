# SPDX-License-Identifier: Apache-2.0
"""NumPy and pyarrow below Python, below the JVM, by measure."""

import re

from spark_jobs import run_job
from support import TestCase, slow, weight_of

BATCHES = 10


class PythonNativeTest(TestCase):
    def profile(self, *options):
        profile = run_job(self.folder, "python_native.py", BATCHES, sparkprof=options)
        return profile, {name: int(cpu) for name, cpu in re.findall(r"^(sorted|packed|program) (\d+)$", profile.process.stdout, re.M)}

    def test_native_functions_have_the_time_that_they_took(self):
        profile, clocks = self.profile("--native")
        stacks = profile.collapsed("--event", "cpu")
        for clock, udf, native in (("sorted", "sort_numbers", r"heapsort"), ("packed", "pack_bytes", r"ZSTD_")):
            of_udf = {stack: weight for stack, weight in stacks.items() if f";{udf} (python_native.py:" in stack}
            self.assertAlmostEqual(sum(of_udf.values()) / clocks[clock], 1.0, delta=0.06, msg=udf)
            place = re.compile(rf"PythonRunner[^;]*;.*\[python worker\];.*{udf} \(python_native\.py:\d+\);.*{native}")
            found = sum(weight for stack, weight in of_udf.items() if place.search(stack))
            self.assertGreaterEqual(found / clocks[clock], 0.9, msg=f"{udf}: {sorted(of_udf.items(), key=lambda item: -item[1])[:5]}")
            self.assertLessEqual(weight_of(of_udf, "[unknown]") / clocks[clock], 0.01, msg=udf)
        of_program = {stack: weight for stack, weight in stacks.items() if ";sort_here (python_native.py:" in stack}
        self.assertAlmostEqual(sum(of_program.values()) / clocks["program"], 1.0, delta=0.06)
        found = sum(weight for stack, weight in of_program.items() if re.search(r"sort_here \(python_native\.py:\d+\);.*heapsort", stack))
        self.assertGreaterEqual(found / clocks["program"], 0.9, msg=sorted(of_program.items(), key=lambda item: -item[1])[:5])
        self.assertEqual(profile.info()["settings"]["python.native"], "true")

    @slow("the same without native frames is")
    def test_without_the_option_python_functions_have_it(self):
        profile, clocks = self.profile()
        stacks = profile.collapsed("--event", "cpu")
        leaves = {stack.rsplit(";", 1)[-1] for stack in stacks if ";sort_numbers (python_native.py:" in stack}
        self.assertTrue(leaves, clocks)
        self.assertTrue(all(".py:" in leaf for leaf in leaves), leaves)
