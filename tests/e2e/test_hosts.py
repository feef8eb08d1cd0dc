# SPDX-License-Identifier: Apache-2.0
"""Hosts that run other code than the rest, on a standalone cluster whose workers have addresses of their own."""

from spark_jobs import Cluster, run_job
from support import TestCase, slow

HOSTS = ("127.0.0.2", "127.0.0.3", "127.0.0.4")


class HostsTest(TestCase):
    @slow("a cluster of three hosts is")
    def test_the_host_with_another_library_is_the_outlier(self):
        cluster = Cluster(self, hosts=HOSTS)
        profile = run_job(self.folder, "odd_host.py", HOSTS[-1], master=cluster.url, conf={"spark.executor.memory": "512m"})
        rows = {row["host"]: row for row in profile.show("hosts")}
        # The driver's host runs no tasks.
        self.assertEqual((rows["localhost"]["executors"], rows["localhost"]["distance"]), (0, None))
        self.assertEqual([rows[host]["outlier"] for host in HOSTS], [False, False, True])
        odd = rows[HOSTS[2]]
        self.assertEqual(odd["executors"], 1)
        self.assertGreater(odd["cpuSeconds"], 2)
        frames = {frame["frame"].split(" (")[0]: frame for frame in odd["frames"]}
        self.assertGreater(frames["old_decoder"]["share"], 0.4)
        self.assertLess(frames["old_decoder"]["others"], 0.05)
        [finding] = [one for one in profile.findings() if one["rule"] == "outlier-host"]
        self.assertIn(HOSTS[2], finding["title"])
