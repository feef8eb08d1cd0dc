# SPDX-License-Identifier: Apache-2.0
"""Native memory and native locks of a real job, by task."""

import functools
import os
import pathlib
import unittest

from spark_jobs import Spark, profiled, run_job, submit
from support import TestCase, execute, json_of, wait_until, weight_of

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
LIVE = {"spark.sparkprof.nativemem.live": "true"}
PARTS = ("heapUsed", "metaspace", "sparkOffHeap", "directBuffers", "native", "python", "untracked")


class NativeEventsTest(TestCase):
    def write(self, program):
        (self.folder / "job.py").write_text(program, encoding="utf-8")
        return self.folder / "job.py"

    def test_what_a_compressor_allocates_belongs_to_its_tasks(self):
        job = self.write(JOB.replace("OUTPUT", str(self.folder / "table")))
        profile = run_job(self.folder, job, sparkprof=["--event", EVENTS])
        settings = profile.info()["settings"]
        self.assertEqual((settings["nativemem.interval_bytes"], settings["nativelock.threshold_ns"]), (str(4 << 20), "5000000"))
        of_stage = profile.collapsed("--event", "malloc", "--stage", "0")
        compressed = {stack: weight for stack, weight in of_stage.items() if "ZstdOutputStream" in stack}
        self.assertGreaterEqual(sum(compressed.values()), 4 << 20, f"{len(of_stage)} other stacks")
        self.assertTrue(all("TaskRunner.run" in stack for stack in compressed))
        # Which locks were waited for is up to the JVM, but every wait is at least one interval.
        self.assertTrue(all(weight >= 5_000_000 for weight in profile.collapsed("--event", "nativelock").values()))

    def test_freed_memory_has_the_call_path_of_its_allocation(self):
        profile = run_job(self.folder, self.write(HOLDING_JOB), master="local[1]", conf=LIVE, sparkprof=["--event", EVENTS])
        sums = {event: weight_of(profile.collapsed("--event", event), "Platform.allocateMemory") for event in ("malloc", "free")}
        self.assertEqual(sums, {"malloc": 2 * HELD * BLOCK, "free": HELD * BLOCK})
        rows = [row for row in profile.show("native_memory") if "Platform.allocateMemory" in row["callPath"]]
        self.assertEqual({row["owner"] for row in rows}, {"driver program"})
        self.assertEqual([sum(row[column] for row in rows) for column in ("bytes", "peakBytes")], [HELD * BLOCK, 2 * HELD * BLOCK])
        self.assertEqual(weight_of(profile.collapsed("--leaks"), "Platform.allocateMemory"), HELD * BLOCK)
        parts = profile.show("memory")
        self.assertGreaterEqual(max(row["native"] or 0 for row in parts), 2 * HELD * BLOCK)
        for row in parts:
            self.assertGreaterEqual(sum(row[part] or 0 for part in PARTS), row["total"])

    def test_a_container_killed_for_memory_is_named_with_the_call_path_that_held_it(self):
        group = memory_group(self, 700 << 20)
        job = submit(self.write(GROWING_JOB), master="local[1]", conf=LIVE | {"spark.driver.memory": "512m"})
        command = profiled(self.folder / "out", job, ["--no-report", "--event", EVENTS])
        limited = ["sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$@"', "sh", *command]
        self.assertNotEqual(execute(*limited, code=None, text=False, env=Spark().environment()).returncode, 0)
        found = json_of("findings", self.folder / "out/recording.sprof", code=None)
        findings = [one for one in found if one["id"].startswith("oom")]
        self.assertEqual(len(findings), 1, found)
        self.assertIn("700 MiB", findings[0]["what"])
        self.assertRegex(findings[0]["measured"], r"of native memory in use, \S+ \S+ of it by driver program: .*allocateMemory.*malloc")


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
