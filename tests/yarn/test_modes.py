# SPDX-License-Identifier: Apache-2.0
"""sparkprof run on YARN with two hosts, in both deploy modes."""

from cluster_of_tests import NODES
from yarn_job import YarnTest


class ModesTest(YarnTest):
    def test_client_mode(self):
        profile = self.run_job("client", 4, 3)
        self.assert_profiled(profile, executors=2, tasks=4)
        self.assertEqual(profile.process.stdout, "tasks: 4\n")
        rows = {row["host"]: row["executors"] for row in profile.show("hosts")}
        self.assertEqual({host: rows.get(host) for host in NODES}, dict.fromkeys(NODES, 1))

    def test_cluster_mode(self):
        profile = self.run_job("cluster", 4, 3)
        self.assert_profiled(profile, executors=2, tasks=4)
        self.assertEqual(profile.process.stdout, "")

    def test_cluster_mode_with_a_folder_on_hdfs(self):
        folder = f"{self.cluster.hdfs}/profiles"
        settings = {"spark.sparkprof.uploadInterval": "100ms", "spark.sparkprof.dumpInterval": "100ms"}
        profile = self.run_job("cluster", 4, 6, options=["--dir", folder], **settings)
        self.assert_profiled(profile, executors=2, tasks=4)
        self.assert_few_files(folder, profile, {"1", "2", "driver"})
