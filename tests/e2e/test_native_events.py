# SPDX-License-Identifier: Apache-2.0
"""Native memory and native locks of a real job, by task."""

import functools
import json
import os
import pathlib
import subprocess
import unittest

from support import DEADLINE, SPARK_VERSIONS, SPARKPROF, Spark, TestCase, run_profiled, sparkprof, wait_until

EVENTS = "cpu,nativemem,nativelock"
JOB = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.range(0, 2_000_000, 1, 2).selectExpr("sha2(string(id), 256) s").write.option("compression", "zstd").parquet("OUTPUT")
"""

BLOCK, HELD = 8 << 20, 12
ALLOCATE = f"""
import time
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
platform = spark._jvm.org.apache.spark.unsafe.Platform

def allocate(number):
    addresses = [platform.allocateMemory({BLOCK}) for _ in range(number)]
    for address in addresses:
        platform.setMemory(address, 1, {BLOCK})
    return addresses
"""
# Keeps the first blocks and frees the others some seconds later.
HOLDING_JOB = (
    ALLOCATE
    + f"""
held = allocate({2 * HELD})
time.sleep(3)
for address in held[{HELD}:]:
    platform.freeMemory(address)
spark.stop()
"""
)
# Until the kernel kills it, in steps, so that all but the last seconds are recorded.
GROWING_JOB = (
    ALLOCATE
    + """
while True:
    allocate(2)
    time.sleep(0.25)
"""
)
PARTS = ("heapUsed", "metaspace", "sparkOffHeap", "directBuffers", "native", "python", "untracked")


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
        rows = [row for row in table("native_memory", profile) if "Platform.allocateMemory" in row["callPath"]]
        self.assertEqual({row["owner"] for row in rows}, {"driver program"})
        self.assertEqual([sum(row[column] for row in rows) for column in ("bytes", "peakBytes")], [HELD * BLOCK, 2 * HELD * BLOCK])
        leaks = profile.collapsed("--leaks")
        self.assertEqual(sum(weight for stack, weight in leaks.items() if "Platform.allocateMemory" in stack), HELD * BLOCK)
        parts = table("memory", profile)
        self.assertGreaterEqual(max(row["native"] or 0 for row in parts), 2 * HELD * BLOCK)
        for row in parts:
            self.assertGreaterEqual(sum(row[part] or 0 for part in PARTS), row["total"])

    def test_a_container_killed_for_memory_is_named_with_the_call_path_that_held_it(self):
        group = memory_group(self, 700 << 20)
        job = self.folder / "job.py"
        job.write_text(GROWING_JOB, encoding="utf-8")
        live = ["--conf", "spark.sparkprof.nativemem.live=true"]
        submit = ["spark-submit", "--master", "local[1]", "--driver-memory", "512m", *live, str(job)]
        run = [SPARKPROF, "run", "--no-report", "--event", EVENTS, "--output-dir", str(self.folder / "out"), "--", *submit]
        limited = ["sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$@"', "sh", *run]
        environment = Spark(SPARK_VERSIONS[0]).environment()
        process = subprocess.run(limited, capture_output=True, env=environment, timeout=DEADLINE, check=False)
        self.assertNotEqual(process.returncode, 0)
        found = json.loads(sparkprof("findings", self.folder / "out/recording.sprof", "--json", check=False).stdout)
        findings = [one for one in found if one["id"].startswith("oom")]
        self.assertEqual(len(findings), 1, found)
        self.assertIn("700 MiB", findings[0]["what"])
        self.assertRegex(findings[0]["measured"], r"of native memory in use, \S+ \S+ of it by driver program: .*allocateMemory.*malloc")


def table(name, profile):
    return json.loads(sparkprof("show", name, profile.recording, "--json").stdout)


def removed(group):
    try:
        group.rmdir()
        return True
    except OSError:
        return False


def memory_group(test, limit):
    """A control group with a limit of memory, of the version that the machine has."""
    name = f"sparkprof-e2e-{os.getpid()}"
    for folder, file in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = pathlib.Path(folder) / name
        try:
            group.mkdir()
            test.addCleanup(wait_until, functools.partial(removed, group), "the end of the control group's processes")
            (group / file).write_text(str(limit))
            return group
        except OSError:
            continue
    raise unittest.SkipTest("control groups with a memory limit require root")


if __name__ == "__main__":
    unittest.main()
