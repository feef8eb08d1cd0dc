# SPDX-License-Identifier: Apache-2.0
"""Heap summaries of a real job: instances are those that the job holds."""

import json
import subprocess
import unittest

from support import DEADLINE, JOBS, SPARK_VERSIONS, SPARKPROF, Spark, TestCase, report_data, sparkprof, wait_until

HELD = "java.util.SplittableRandom"  # Spark has no objects of it
COUNT = 800


class HeapTest(TestCase):
    def test_the_instances_of_a_class_are_those_that_the_job_holds(self):
        running, output = self.folder / "running", self.folder / "out"
        log = open(self.folder / "log", "w", encoding="utf-8")
        self.addCleanup(log.close)
        job = subprocess.Popen(
            [
                SPARKPROF,
                "run",
                "--output-dir",
                output,
                "--heap-summary",
                "10s",
                "--",
                "spark-submit",
                "--master",
                "local[2]",
                JOBS / "held_objects.py",
                running,
                str(COUNT),
            ],
            env=Spark(SPARK_VERSIONS[0]).environment(),
            stdout=log,
            stderr=log,
        )
        self.addCleanup(job.kill)
        wait_until(running.exists, "the objects")

        def held_now():
            result = sparkprof("show", "heap", output, "--json", check=False)
            return result.returncode == 0 and instances(json.loads(result.stdout)) == COUNT

        wait_until(held_now, "a heap summary with the objects")
        running.unlink()
        self.assertEqual(job.wait(timeout=DEADLINE), 0)

        recording = output / "recording.sprof"
        heap = json.loads(sparkprof("show", "heap", recording, "--json", "--executor", "driver").stdout)
        summaries = json.loads(sparkprof("show", "heap_summaries", recording, "--json", "--executor", "driver").stdout)
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


if __name__ == "__main__":
    unittest.main()
