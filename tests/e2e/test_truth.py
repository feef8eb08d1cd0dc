# SPDX-License-Identifier: Apache-2.0
"""Measured truth: jobs of known cost must show that cost, in the right task and the right stage."""

import json
import re
import unittest

from support import JOBS, SPARK_VERSIONS, Cluster, Spark, TestCase, run_profiled, sparkprof


class KnownCpuTest(TestCase):
    def check_tasks(self, spark, master, seconds, tasks):
        jar = spark.compile_job("KnownCpu", self.folder)
        profile = run_profiled(
            spark,
            self.folder / "out",
            ["spark-submit", "--master", master, "--executor-memory", "512m", "--class", "KnownCpu", jar, seconds, tasks],
        )
        self.assert_succeeded(profile)
        burnt = [map(int, line.split()) for line in profile.process.stdout.splitlines()]
        self.assertEqual(len(burnt), tasks)
        rows = {row["taskId"]: row for row in json.loads(sparkprof("show", "tasks", profile.recording, "--json").stdout)}
        for tid, cpu_ns, stolen_ns in burnt:
            stacks = profile.collapsed("--event", "cpu", "--task", tid)
            burn = sum(weight for stack, weight in stacks.items() if "KnownCpu.burn" in stack)
            for what, sampled, truth in (
                ("the task", sum(stacks.values()), rows[tid]["executorCpuTime"]),
                ("the function that burns", burn, cpu_ns),
            ):
                # While a hypervisor keeps the core from this machine, a thread's CPU clock stands still, but the sampler's
                # timer runs on.
                self.assertGreater(sampled, 0.95 * truth, f"{what}, task {tid}")
                self.assertLess(sampled, 1.05 * truth + stolen_ns, f"{what}, task {tid}")
        return profile

    def test_the_cpu_of_each_task_is_within_five_percent_in_local_mode(self):
        profile = self.check_tasks(Spark("4.1.1"), "local[2]", 10, 2)
        info = profile.info()
        self.assertTrue(info["complete"])
        self.assertEqual(info["counts"]["tasks"], 2)
        cpu = info["samples"]["cpu"]
        self.assertGreater(cpu["joined"] / cpu["onTaskThreads"], 0.95)

    def test_the_cpu_of_each_task_is_within_five_percent_on_a_standalone_cluster(self):
        spark = Spark("3.5.7")
        cluster = Cluster(spark, self.folder)
        self.addCleanup(cluster.close)
        profile = self.check_tasks(spark, cluster.url, 10, 2)
        self.assertEqual(profile.info()["counts"]["executors"], 2)


class StageOfEachSampleTest(TestCase):
    def test_of_a_thousand_short_tasks_not_one_sample_lies_in_the_wrong_stage(self):
        for version in SPARK_VERSIONS:
            with self.subTest(spark=version):
                spark = Spark(version)
                jar = spark.compile_job("ManyStages", self.folder)
                profile = run_profiled(
                    spark,
                    self.folder / f"out-{version}",
                    ["spark-submit", "--master", "local[4]", "--class", "ManyStages", jar],
                    options=["--cpu-interval", "1ms"],
                )
                self.assert_succeeded(profile)
                stage_of = dict(re.findall(r"^(burn\d\d) (\d+)$", profile.process.stdout, re.MULTILINE))
                self.assertEqual(len(stage_of), 20)
                for name, stage in stage_of.items():
                    seen = {
                        found.group(0)
                        for stack in profile.collapsed("--event", "cpu", "--stage", stage)
                        if (found := re.search(r"burn\d\d", stack))
                    }
                    self.assertLessEqual(seen, {name}, f"stage {stage}")
                everywhere = {found.group(0) for stack in profile.collapsed("--event", "cpu") if (found := re.search(r"burn\d\d", stack))}
                self.assertGreater(len(everywhere), 15, "the test would not notice anything without samples")


class TroubledJobTest(TestCase):
    def test_failed_retried_cancelled_and_speculative_tasks_of_concurrent_jobs_are_all_told(self):
        spark = Spark("4.1.1")
        cluster = Cluster(spark, self.folder, hosts=("127.0.0.2", "127.0.0.3"), cores=4)
        self.addCleanup(cluster.close)
        job = str(JOBS / "troubled_job.py")
        profile = run_profiled(
            spark,
            self.folder / "out",
            [
                "spark-submit",
                "--master",
                cluster.url,
                "--executor-memory",
                "512m",
                "--conf",
                "spark.speculation=true",
                "--conf",
                "spark.speculation.interval=100ms",
                "--conf",
                "spark.speculation.multiplier=2",
                "--conf",
                "spark.speculation.quantile=0.5",
                "--conf",
                "spark.scheduler.mode=FAIR",
                job,
            ],
        )
        self.assert_succeeded(profile)
        self.assertEqual(
            profile.process.stdout.splitlines(), ["cancelled ended: True", f"retried {sum(range(20))}", f"speculative {sum(range(8))}"]
        )
        info = profile.info()
        self.assertEqual(info["counts"]["jobs"], 3)
        # 20 and 2 retries, 2 cancelled, 8 and a speculative copy.
        self.assertGreaterEqual(info["counts"]["tasks"], 33)
        self.assertEqual(info["counts"]["executors"], 2)


if __name__ == "__main__":
    unittest.main()
