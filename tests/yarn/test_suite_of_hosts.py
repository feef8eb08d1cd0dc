# SPDX-License-Identifier: Apache-2.0
"""A suite of jobs in cluster mode, with a monitor below the NodeManager of each host."""

import json
import subprocess

from cluster_of_tests import NODES
from support import DEADLINE, SPARKPROF, sparkprof
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
            "jobs": [{"name": "compute", "command": list(map(str, self.submit("cluster", 2, 5))), "repeats": 2, "profile": True}],
        }
        (self.folder / "suite.yaml").write_text(json.dumps(suite))  # which is YAML
        results = self.folder / "results"
        ran = subprocess.run(
            [SPARKPROF, "suite", "run", self.folder / "suite.yaml", "--output-dir", results],
            capture_output=True,
            text=True,
            env=self.environment(),
            timeout=DEADLINE,
            check=False,
        )
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        applications = set()
        for folder in (results / "compute").iterdir():
            info = json.loads(sparkprof("info", folder / "profile" / "recording.sprof", "--json").stdout)
            self.assertEqual((info["counts"]["executors"], info["counts"]["tasks"]), (2, 2))
            applications.add(info["applications"][0]["id"])
        self.assertEqual(len(applications), 2)
        rows = json.loads(sparkprof("show", "processes", results / "nodes", "--json").stdout)
        executors = {(row["application"], row["executor"], row["host"]) for row in rows if row["type"] == "jvm_executor"}
        self.assertEqual({(application, executor) for application, executor, _ in executors}, {(a, e) for a in applications for e in "12"})
        self.assertEqual({host for _, _, host in executors}, set(NODES))
