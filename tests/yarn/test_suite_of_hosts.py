# SPDX-License-Identifier: Apache-2.0
"""A suite of jobs in cluster mode, with a monitor below the NodeManager of each host."""

import json

from cluster_of_tests import NODES
from spark_jobs import Profile
from support import SPARKPROF, json_of, sparkprof
from yarn_job import YarnTest


class SuiteOfHostsTest(YarnTest):
    def test_executors_are_measured_on_both_hosts(self):
        for name in NODES:
            (self.folder / name).write_text(str(self.cluster.daemons[name].pid))
        monitor = 'hostname {node}; exec "$0" monitor --dir {output}/nodes --root "$(cat {suite}/{node})" --others 0s --interval 200ms'
        suite = {
            "suite": "hosts",
            "nodes": list(NODES),
            "monitors": [["ip", "netns", "exec", "{node}", "unshare", "--uts", "sh", "-c", monitor, str(SPARKPROF)]],
            "jobs": [{"name": "compute", "command": self.submit("cluster", 2, 5), "repeats": 2, "profile": True}],
        }
        (self.folder / "suite.yaml").write_text(json.dumps(suite))  # JSON is YAML
        results = self.folder / "results"
        sparkprof("suite", "run", self.folder / "suite.yaml", "--output-dir", results, env=self.environment())
        applications = set()
        for folder in (results / "compute").iterdir():
            info = Profile(folder / "profile").info()
            self.assertEqual((info["counts"]["executors"], info["counts"]["tasks"]), (2, 2))
            applications.add(info["applications"][0]["id"])
        self.assertEqual(len(applications), 2)
        rows = json_of("show", "processes", results / "nodes")
        executors = {(row["application"], row["executor"], row["host"]) for row in rows if row["type"] == "jvm_executor"}
        self.assertEqual({(application, executor) for application, executor, _ in executors}, {(a, e) for a in applications for e in "12"})
        self.assertEqual({host for _, _, host in executors}, set(NODES))
