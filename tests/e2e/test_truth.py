# SPDX-License-Identifier: Apache-2.0
"""Measured truth: jobs of known cost must show that cost, in the right task and the right stage."""

import re

from spark_jobs import SPARK_VERSIONS, Cluster, Spark, run_job
from support import TestCase, weight_of


class KnownCpuTest(TestCase):
    def check_tasks(self, spark, master, seconds, tasks):
        profile = run_job(self.folder, "KnownCpu", seconds, tasks, spark=spark, master=master, options=["--executor-memory", "512m"])
        burnt = [map(int, line.split()) for line in profile.process.stdout.splitlines()]
        self.assertEqual(len(burnt), tasks)
        rows = {row["taskId"]: row for row in profile.show("tasks")}
        for tid, cpu_ns, stolen_ns in burnt:
            stacks = profile.collapsed("--event", "cpu", "--task", tid)
            burn = weight_of(stacks, "KnownCpu.burn")
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
        profile = self.check_tasks(Spark(), "local[2]", 10, 2)
        info = profile.info()
        self.assertTrue(info["complete"])
        self.assertEqual(info["counts"]["tasks"], 2)
        cpu = info["samples"]["cpu"]
        self.assertGreater(cpu["joined"] / cpu["onTaskThreads"], 0.95)

    def test_the_cpu_of_each_task_is_within_five_percent_on_a_standalone_cluster(self):
        spark = Spark("3.5.7")
        cluster = Cluster(self, spark)
        profile = self.check_tasks(spark, cluster.url, 10, 2)
        self.assertEqual(profile.info()["counts"]["executors"], 2)


class StageOfEachSampleTest(TestCase):
    def test_of_a_thousand_short_tasks_not_one_sample_lies_in_the_wrong_stage(self):
        for version in SPARK_VERSIONS:
            with self.subTest(spark=version):
                where = {"spark": Spark(version), "master": "local[4]", "name": f"out-{version}"}
                profile = run_job(self.folder, "ManyStages", sparkprof=["--cpu-interval", "1ms"], **where)

                def functions(*selection, profile=profile):
                    stacks = profile.collapsed("--event", "cpu", *selection)
                    return {found[0] for stack in stacks if (found := re.search(r"burn\d\d", stack))}

                stage_of = dict(re.findall(r"^(burn\d\d) (\d+)$", profile.process.stdout, re.MULTILINE))
                self.assertEqual(len(stage_of), 20)
                for name, stage in stage_of.items():
                    self.assertLessEqual(functions("--stage", stage), {name}, f"stage {stage}")
                self.assertGreater(len(functions()), 15, "the test would not notice anything without samples")


class TroubledJobTest(TestCase):
    def test_failed_retried_cancelled_and_speculative_tasks_of_concurrent_jobs_are_all_told(self):
        cluster = Cluster(self, hosts=("127.0.0.2", "127.0.0.3"), cores=4)
        conf = {
            "spark.executor.memory": "512m",
            "spark.speculation": "true",
            "spark.speculation.interval": "100ms",
            "spark.speculation.multiplier": 2,
            "spark.speculation.quantile": 0.5,
            "spark.scheduler.mode": "FAIR",
        }
        profile = run_job(self.folder, "troubled_job.py", master=cluster.url, conf=conf)
        printed = ["cancelled ended: True", f"retried {sum(range(20))}", f"speculative {sum(range(8))}"]
        self.assertEqual(profile.process.stdout.splitlines(), printed)
        info = profile.info()
        self.assertEqual(info["counts"]["jobs"], 3)
        # 20 and 2 retries, 2 cancelled, 8 and a speculative copy.
        self.assertGreaterEqual(info["counts"]["tasks"], 33)
        self.assertEqual(info["counts"]["executors"], 2)
