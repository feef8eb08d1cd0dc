# SPDX-License-Identifier: Apache-2.0
"""Both languages in one picture, by measure: known shares, the worker's own clock, the JVM's stack above Python's."""

import re

from spark_jobs import SPARK_VERSIONS, Spark, run_job
from support import TestCase, report_bytes, slow, sparkprof, weight_of

SECONDS = 5
ROWS = 12000


class PythonJoinTest(TestCase):
    def check(self, version):
        profile = run_job(self.folder, "python_shares.py", SECONDS, ROWS, spark=Spark(version))
        clocks = re.findall(r"^task (\d+) (\d+) (\d+)$", profile.process.stdout, re.M)
        burnt = {int(task): (int(cpu), int(worker)) for task, cpu, worker in clocks}
        self.assertEqual(len(burnt), 2)
        self.check_cpu_of_tasks(profile, burnt)
        self.check_shares(profile, burnt)
        self.check_merged(profile, burnt)
        self.check_udfs(profile)
        self.check_waits(profile)
        self.check_analyze(profile)

    def check_cpu_of_tasks(self, profile, burnt):
        for task, (cpu_ns, worker_ns) in burnt.items():
            stacks = profile.collapsed("--language", "python", "--task", task)
            sampled = weight_of(stacks, ";burn_partition (")
            self.assertAlmostEqual(sampled / cpu_ns, 1.0, delta=0.05, msg=f"task {task}: {sampled} ns, clock {cpu_ns}")
            # With what PySpark did before it, such as reading the directories of jars.
            whole = sum(stacks.values())
            self.assertLess(whole / worker_ns, 1.05, msg=f"task {task}: {whole} ns, the worker's clock {worker_ns}")

    def check_shares(self, profile, burnt):
        tasks = [argument for task in burnt for argument in ("--task", task)]
        stacks = profile.collapsed(*tasks)
        weights = {name: weight_of(stacks, f";{name} (python_shares.py:") for name in ("seventy", "twenty", "ten")}
        total = sum(weights.values())
        for name, expected in (("seventy", 0.7), ("twenty", 0.2), ("ten", 0.1)):
            self.assertAlmostEqual(weights[name] / total, expected, delta=0.03, msg=name)

    def check_merged(self, profile, burnt):
        tasks = [argument for task in burnt for argument in ("--task", task)]
        python = sum(profile.collapsed("--language", "python", *tasks).values())
        jvm = sum(profile.collapsed("--language", "jvm", *tasks).values())
        merged = profile.collapsed(*tasks)
        self.assertEqual(sum(merged.values()), python + jvm, "each sample of CPU once")
        joined = re.compile(r"org\.apache\.spark\.api\.python\.[^;]*;\[python worker\];.*\(python_shares\.py:\d+\)")
        under = sum(weight for stack, weight in merged.items() if joined.search(stack))
        self.assertGreater(under / python, 0.9, "Python stands under the JVM frame that waits for it")
        wall = ["--event", "wall", *tasks]
        both, of_jvm = (sum(profile.collapsed(*options, *wall).values()) for options in ([], ["--language", "jvm"]))
        self.assertEqual(both, of_jvm, "the wall time is the JVM thread's, shared out")
        without_lines = profile.collapsed("--no-lines", *tasks)
        self.assertTrue(any("seventy (python_shares.py)" in stack for stack in without_lines))

    def check_analyze(self, profile):
        sparkprof("analyze", profile.recording, "--report", self.folder / "analyze.html")
        self.assertIn(b"[python worker]", report_bytes(self.folder / "analyze.html"), "its flame graph has both languages")

    def check_udfs(self, profile):
        udfs = {udf["name"]: udf for udf in profile.show("udfs")}
        self.assertLessEqual({"burn_partition", "heavy"}, udfs.keys())
        heavy = udfs["heavy"]
        self.assertEqual(set(heavy), {"name", "file", "line", "evalType", "stages", "cpuNs", "cpuShare", "wallNs", "samples", "rows"})
        self.assertEqual(heavy["rows"], ROWS)
        self.assertIn(heavy["evalType"], ("SQL_BATCHED_UDF", "SQL_ARROW_BATCHED_UDF"))
        self.assertTrue(heavy["file"].endswith("python_shares.py"))
        clock = int(re.search(r"^heavy (\d+)$", profile.process.stdout, re.M).group(1))
        self.assertAlmostEqual(heavy["cpuNs"] / clock, 1.0, delta=0.15)
        self.assertAlmostEqual(udfs["burn_partition"]["cpuNs"] / (2 * SECONDS * 1e9), 1.0, delta=0.05)

    def check_waits(self, profile):
        stages = profile.show("waits")
        self.assertTrue(stages)
        for stage in stages:
            states = ("jvmBusyPythonBusy", "jvmBusyPythonWaiting", "jvmWaitingPythonBusy", "bothWaiting")
            self.assertEqual(set(stage), {"stageId", "waitingForPython", *states, "summary"})
        first = stages[0]
        total = sum(value for key, value in first.items() if key not in ("stageId", "summary", "waitingForPython"))
        self.assertGreater(first["jvmWaitingPythonBusy"] / total, 0.5, "the burning stage is Python-bound")

    def check_feeding(self, version, thread):
        """The JVM's work for rows that it hands to Python belongs to their task, whichever thread does it."""
        profile = run_job(self.folder, "python_feeding.py", spark=Spark(version))
        task_of = {int(partition): task for task, partition in re.findall(r"^task (\d+) (\d+)$", profile.process.stdout, re.M)}
        self.assertEqual(set(task_of), {0, 1}, profile.process.stdout)

        def fed(*selection):
            return weight_of(profile.collapsed("--language", "jvm", *selection), thread, "GeneratedClass")

        whole = fed()
        self.assertGreater(whole / 1e9, 0.5)
        self.assertGreater(fed("--task", task_of[0]) / whole, 0.85)
        self.assertLess(fed("--task", task_of[1]) / whole, 0.1)

    def test_the_jvms_work_for_python_is_its_tasks_on_spark_4(self):
        self.check_feeding(SPARK_VERSIONS[0], "Executor$TaskRunner.run")

    @slow("the older Spark is")
    def test_the_jvms_work_for_python_is_its_tasks_on_spark_3(self):
        self.check_feeding(SPARK_VERSIONS[1], "BasePythonRunner$WriterThread.run")

    def test_on_spark_4(self):
        self.check(SPARK_VERSIONS[0])

    @slow("the older Spark is")
    def test_on_spark_3(self):
        self.check(SPARK_VERSIONS[1])
