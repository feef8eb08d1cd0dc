# SPDX-License-Identifier: Apache-2.0
"""Native memory and native locks of a real job, by task."""

import unittest

from support import SPARK_VERSIONS, Spark, TestCase, run_profiled

EVENTS = "cpu,nativemem,nativelock"
JOB = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.range(0, 2_000_000, 1, 2).selectExpr("sha2(string(id), 256) s").write.option("compression", "zstd").parquet("OUTPUT")
"""

BLOCK, HELD = 8 << 20, 12
# Keeps the first blocks and frees the others.
HOLDING_JOB = f"""
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
platform = spark._jvm.org.apache.spark.unsafe.Platform
held = [platform.allocateMemory({BLOCK}) for _ in range({2 * HELD})]
for address in held[{HELD}:]:
    platform.freeMemory(address)
spark.stop()
"""


class NativeEventsTest(TestCase):
    def test_what_a_compressor_allocates_belongs_to_its_tasks(self):
        job = self.folder / "job.py"
        job.write_text(JOB.replace("OUTPUT", str(self.folder / "table")), encoding="utf-8")
        profile = run_profiled(
            Spark(SPARK_VERSIONS[0]), self.folder / "out", ["spark-submit", "--master", "local[2]", job], options=["--event", EVENTS]
        )
        self.assert_succeeded(profile)
        settings = profile.info()["settings"]
        self.assertEqual((settings["nativemem.interval_bytes"], settings["nativelock.threshold_ns"]), (str(4 << 20), "5000000"))
        of_stage = profile.collapsed("--event", "malloc", "--stage", "0")
        compressed = {stack: weight for stack, weight in of_stage.items() if "ZstdOutputStream" in stack}
        self.assertGreaterEqual(sum(compressed.values()), 4 << 20, f"{len(of_stage)} other stacks")
        self.assertTrue(all("TaskRunner.run" in stack for stack in compressed))
        # Which locks were waited for is up to the JVM, but every wait is at least one interval.
        self.assertTrue(all(weight >= 5_000_000 for weight in profile.collapsed("--event", "nativelock").values()))

    def test_freed_memory_has_the_call_path_of_its_allocation(self):
        job = self.folder / "job.py"
        job.write_text(HOLDING_JOB, encoding="utf-8")
        live = ["--conf", "spark.sparkprof.nativemem.live=true"]
        profile = run_profiled(
            Spark(SPARK_VERSIONS[0]), self.folder / "out", ["spark-submit", "--master", "local[1]", *live, job], options=["--event", EVENTS]
        )
        self.assert_succeeded(profile)
        sums = {
            event: sum(weight for stack, weight in profile.collapsed("--event", event).items() if "Platform.allocateMemory" in stack)
            for event in ("malloc", "free")
        }
        self.assertEqual(sums, {"malloc": 2 * HELD * BLOCK, "free": HELD * BLOCK})


if __name__ == "__main__":
    unittest.main()
