# SPDX-License-Identifier: Apache-2.0
"""Executors that Spark or YARN removes in good order: dynamic allocation with an external shuffle service, and decommissioned hosts."""

import collections

from cluster_job import DYNAMIC_JOB
from cluster_of_tests import EXCLUDED
from yarn_job import YarnTest


class ExecutorsComeAndGoTest(YarnTest):
    def test_dynamic_allocation(self):
        settings = {
            "spark.dynamicAllocation.enabled": "true",
            "spark.shuffle.service.enabled": "true",
            "spark.dynamicAllocation.executorIdleTimeout": "5s",
            # Many files per executor, which YARN kills before it can join them.
            "spark.sparkprof.uploadInterval": "500ms",
        }
        folder = f"{self.cluster.hdfs}/profiles"
        profile = self.run_job("client", code=0, job=DYNAMIC_JOB, options=["--dir", folder], **settings)
        self.assertEqual(profile.process.stdout, "groups: 10, 10\n")
        self.assert_reported(profile)
        executors = [row for row in profile.show("executors") if row["id"] != "driver"]
        # On a slow machine, one may be idle for too long before its first task.
        busy = [row for row in executors if row["completedTasks"] > 0]
        self.assertGreaterEqual(len(busy), 2)
        for executor in busy:
            self.assert_has_function(profile, "--executor", executor["id"])
        hosts = {row["host"]: row["executors"] for row in profile.show("hosts") if row["executors"]}
        self.assertEqual(hosts, collections.Counter(row["host"] for row in executors))
        self.assert_few_files(folder, profile, {"driver", *(row["id"] for row in executors)})
        self.assertNotIn("lost-executors", self.findings(profile))

    def decommission(self, host, seconds):
        EXCLUDED.write_text(f"{host}\n")
        self.cluster.yarn("rmadmin", "-refreshNodes", "-g", seconds, "-server")

    def include_all(self):
        EXCLUDED.write_text("")
        self.cluster.yarn("rmadmin", "-refreshNodes")

    def test_decommissioned_host(self):
        self.addCleanup(self.include_all)
        process = self.start_job("client", 4, 12, **{"spark.decommission.enabled": "true"})
        executors = self.await_executors()
        master = self.host_of_master()
        (executor,) = [one for one in executors if one.host != master]
        self.decommission(executor.host, 100)
        profile = self.profile_of(process)
        self.assert_job_succeeded(profile, tasks=4)
        self.assert_reported(profile)
        self.assertEqual(self.cluster.node_states()[executor.host], "DECOMMISSIONED")
        self.assert_has_function(profile, "--executor", executor.id)
        (removed,) = [row for row in profile.show("executors") if row["id"] == executor.id]
        self.assertIn("YARN event", removed["removeReason"])
        self.assertNotIn("lost-executors", self.findings(profile))
