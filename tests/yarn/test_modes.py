# SPDX-License-Identifier: Apache-2.0
"""sparkprof run on YARN with two hosts, in both deploy modes."""

import collections
import json

from cluster_of_tests import NODES
from support import sparkprof
from yarn_job import YarnTest

MERGED_AT_ONCE = 32  # files of a process in a Hadoop folder


class ModesTest(YarnTest):
    def test_client_mode(self):
        profile = self.run_job("client", 4, 3)
        self.assert_profiled(profile, executors=2, tasks=4)
        self.assertEqual(profile.process.stdout, "tasks: 4\n")
        rows = {row["host"]: row["executors"] for row in json.loads(sparkprof("show", "hosts", profile.recording, "--json").stdout)}
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
        application = profile.info()["applications"][0]["id"]
        printed = self.cluster.file_system("-ls", "-C", f"{folder}/{application}").decode().split()
        listed = [word for word in printed if word.startswith(folder)]
        # PROCESS-HOST-PID-SEQUENCE.sprof
        files = [file.rsplit("/", 1)[1].split("-") for file in listed]
        # YARN may kill an executor while it merges its last files, fewer than are merged at once.
        counts = collections.Counter(file[0] for file in files)
        self.assertEqual(set(counts), {"1", "2", "driver"}, listed)
        for process, count in counts.items():
            last = max(int(file[3].split(".")[0]) for file in files if file[0] == process)
            self.assertGreater(last, MERGED_AT_ONCE, f"fewer files were written than are merged at once: {listed}")
            self.assertLess(count, MERGED_AT_ONCE + 2, listed)
