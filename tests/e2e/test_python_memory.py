# SPDX-License-Identifier: Apache-2.0
"""Allocations of Python workers, and what they hold, by line, below the JVM."""

import re

from spark_jobs import run_job
from support import TestCase, weight_of

EVENTS = ("--event", "cpu,wall,pyalloc")
KILLED_HELD = 2 * 200 * 600_001  # by grow() in tests/e2e/jobs/python_memory.py


class PythonMemoryTest(TestCase):
    def test_each_function_has_the_bytes_that_it_allocated_and_held(self):
        profile = run_job(self.folder, "python_memory.py", sparkprof=EVENTS)
        planted = {
            name: (int(allocated), int(held)) for name, allocated, held in re.findall(r"^(\w+) (\d+) (\d+)$", profile.process.stdout, re.M)
        }
        self.assertEqual(set(planted), {"parse", "remember", "stack_arrays"})
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
        profile = run_job(self.folder, "python_memory.py", "die", sparkprof=EVENTS, code=None)
        held = profile.collapsed("--event", "pylive")
        self.assertAlmostEqual(weight_of(held, "grow (python_memory.py:") / KILLED_HELD, 1.0, delta=0.1, msg=sorted(held)[:5])

    def test_by_default_allocations_of_python_are_not_sampled(self):
        profile = run_job(self.folder, "python_memory.py", conf={"spark.sparkprof.python.interval": "20ms"})
        self.assertEqual(profile.collapsed("--event", "pyalloc"), {})
