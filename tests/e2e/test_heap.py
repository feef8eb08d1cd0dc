# SPDX-License-Identifier: Apache-2.0
"""Heap summaries of a real job: instances are those that the job holds."""

import json

from spark_jobs import Profile, Spark, profiled, submit
from support import TestCase, report_data, sparkprof, wait_until

HELD = "java.util.SplittableRandom"  # Spark has no objects of it
COUNT = 800


class HeapTest(TestCase):
    def test_the_instances_of_a_class_are_those_that_the_job_holds(self):
        running, output = self.folder / "running", self.folder / "out"
        command = profiled(output, submit("held_objects.py", running, COUNT), ["--heap-summary", "10s"])
        job = self.start(*command, env=Spark().environment())
        wait_until(running.exists, "the objects")

        def held_now():
            result = sparkprof("show", "heap", output, "--json", code=None)
            return result.returncode == 0 and instances(json.loads(result.stdout)) == COUNT

        wait_until(held_now, "a heap summary with the objects")
        running.unlink()
        profile = Profile(output, self.finish(job))
        heap = profile.show("heap", "--executor", "driver")
        summaries = profile.show("heap_summaries", "--executor", "driver")
        self.assertEqual(instances(heap), COUNT)
        self.assertLess(sum(row["bytes"] for row in heap), summaries[-1]["bytes"])
        self.assertTrue(all(summary["pauseMs"] > 0 for summary in summaries))
        page = report_data(output / "report.html")["heap"]
        self.assertEqual(len(page["summaries"]), len(summaries))
        self.assertIn(HELD, page["classes"])
        last = summaries[-1]
        self.assertEqual((page["summaries"][-1]["time"], page["summaries"][-1]["bytes"]), (last["time"], last["bytes"]))


def instances(heap):
    return next((row["instances"] for row in heap if row["name"] == HELD), 0)
