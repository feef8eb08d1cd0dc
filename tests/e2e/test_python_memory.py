# SPDX-License-Identifier: Apache-2.0
"""Allocations of Python workers, and what they hold, by line, below the JVM."""

import re

from spark_jobs import run_job
from support import JOBS, TestCase, slow, weight_of

BUFFER, ARROW_BYTES = 600_001, 50_000_000  # as in that program
KILLED_HELD = 2 * 200 * 600_001  # by grow() in tests/e2e/jobs/python_memory.py


def line_of(part):
    lines = (JOBS / "python_memory.py").read_text().splitlines()
    return next(number for number, text in enumerate(lines, 1) if part in text)


class PythonMemoryTest(TestCase):
    def run_job(self, *mode, conf=None, **submitted):
        # With the usual budget, a busy machine takes fewer samples, so that sums differ more by chance.
        return run_job(self.folder, "python_memory.py", *mode, conf={"spark.sparkprof.samples.budget": "1", **(conf or {})}, **submitted)

    def test_each_function_has_the_bytes_that_it_allocated_and_held(self):
        profile = self.run_job()
        planted = {
            name: (int(allocated), int(held)) for name, allocated, held in re.findall(r"^(\w+) (\d+) (\d+)$", profile.process.stdout, re.M)
        }
        self.assertEqual(set(planted), {"copy_frames", "parse", "remember", "stack_arrays"})
        allocated = profile.collapsed("--event", "pyalloc")
        for name, (expected, _) in planted.items():
            of_udf = {
                stack: weight
                for stack, weight in allocated.items()
                if "[python worker];" in stack and f";{name} (python_memory.py:" in stack
            }
            self.assertTrue(of_udf, sorted(allocated)[:20])
            self.assertAlmostEqual(sum(of_udf.values()) / expected, 1.0, delta=0.1, msg=name)
            self.assertTrue(all(re.search(r"Python\w*Runner", stack) for stack in of_udf), list(of_udf)[:3])
        # Both are held when the last of them is at its peak: the cache by earlier tasks, the arrays by those that run.
        held = profile.collapsed("--event", "pylive")
        self.assertAlmostEqual(weight_of(held, "remember (python_memory.py:") / planted["remember"][1], 1.0, delta=0.1)
        self.assertEqual(weight_of(held, ";parse (python_memory.py:") // (10 << 20), 0)
        # The processes of one stage, when they held most.
        of_stage = profile.collapsed("--event", "pylive", "--stage", "1")
        self.assertEqual(weight_of(of_stage, "remember (python_memory.py:"), 0)
        self.assertGreater(weight_of(of_stage, "stack_arrays (python_memory.py:"), 0.9 * planted["stack_arrays"][0] / 2)
        settings = profile.info()["settings"]
        self.assertEqual(settings["python.alloc.interval_bytes"], str(512 << 10))
        self.assertIn("pyalloc", settings["events"])

    def test_what_a_killed_worker_held_is_known_by_line(self):
        profile = self.run_job("die", code=None)
        held = profile.collapsed("--event", "pylive")
        self.assertAlmostEqual(weight_of(held, "grow (python_memory.py:") / KILLED_HELD, 1.0, delta=0.1, msg=sorted(held)[:5])

    def test_a_line_that_keeps_memory_from_task_to_task_is_a_finding(self):
        profile = self.run_job("leak")
        finding = next(each for each in profile.findings() if each["rule"] == "python-memory")
        line = line_of('"rows", []')
        self.assertEqual(finding["frames"][0], f"keep_rows (python_memory.py:{line})")
        self.assertRegex(finding["title"], r"keeps \d+ MiB in Python workers from task to task")
        per_row = float(re.search(r"about ([\d.]+) KiB per row", finding["what"])[1])
        self.assertAlmostEqual(per_row * 1024 / BUFFER, 1.0, delta=0.1)
        self.assertIn("spark.python.worker.reuse=false", finding["change"])

    def test_a_worker_that_ran_out_of_memory_names_the_line_that_held_it(self):
        limit = {"spark.executor.pyspark.memory": "1g"}
        profile = self.run_job("exhaust", conf=limit, code=None)
        finding = next(each for each in profile.findings() if each["rule"] == "oom")
        self.assertRegex(finding["frames"][0], r"^exhaust \(python_memory\.py:\d+\)$")
        self.assertRegex(finding["measured"], r"its Python processes held \d+ MiB of objects and NumPy arrays, \d+ MiB of it by exhaust")

    def test_the_memory_of_arrow_is_a_part_of_its_own(self):
        profile = self.run_job("arrow")
        rows = profile.show("memory")
        most = max(row["arrow"] or 0 for row in rows)
        self.assertAlmostEqual(most / ARROW_BYTES, 1.0, delta=0.1)
        peak = next(row for row in rows if row["arrow"] == most)
        self.assertIsNotNone(peak["otherNative"])

    def check_program(self, **submitted):
        profile = self.run_job("program", **submitted)
        planted = re.findall(r"^(\w+) (\d+) \d+$", profile.process.stdout, re.M)
        self.assertEqual(len(planted), 2)
        held = {stack: weight for stack, weight in profile.collapsed("--event", "pylive").items() if stack.startswith("[python driver];")}
        for name, size in planted:
            self.assertAlmostEqual(weight_of(held, f";{name} (python_memory.py:") / int(size), 1.0, delta=0.1, msg=sorted(held)[:20])
        return profile

    def test_the_drivers_program_is_a_finding_of_its_own(self):
        profile = self.check_program()
        finding = next(each for each in profile.findings() if each["rule"] == "python-memory")
        line = line_of("{BUFFER}) text")
        self.assertEqual(finding["frames"][0], f"fetch (python_memory.py:{line})")
        self.assertRegex(finding["title"], r"holds \d+ MiB in the driver's Python program")
        rows = profile.show("memory")
        peak = max(rows, key=lambda row: row["pythonLive"] or 0)
        self.assertGreater(peak["program"], peak["pythonLive"])

    @slow("the program of a cluster's driver is")
    def test_the_program_of_a_driver_without_workers_has_its_memory_by_line(self):
        self.check_program(master="local-cluster[1,2,1024]")

    @slow("the end of a program without memory is")
    def test_a_program_that_ran_out_of_memory_names_the_line_that_held_it(self):
        profile = self.run_job("exhaust-program", code=1)
        finding = next(each for each in profile.findings() if each["rule"] == "oom")
        self.assertRegex(finding["frames"][0], r"^exhaust_program \(python_memory\.py:\d+\)$")
        self.assertRegex(
            finding["measured"], r"the driver's Python program held \d+ MiB of objects and NumPy arrays, \d+ MiB of it by exhaust_program"
        )

    def test_without_the_event_allocations_of_python_are_not_sampled(self):
        profile = self.run_job(sparkprof=("--event", "cpu,wall"), conf={"spark.sparkprof.python.interval": "20ms"})
        self.assertEqual(profile.collapsed("--event", "pyalloc"), {})
