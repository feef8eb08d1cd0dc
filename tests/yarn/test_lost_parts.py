# SPDX-License-Identifier: Apache-2.0
"""Jobs whose hosts, daemons and processes fail: their result, and their recording up to ten seconds before."""

import contextlib
import json
import os
import pathlib
import signal
import time

from cluster_job import RECORDED
from network import set_link
from proc import agents, parent_of, program_of
from support import SHOWN, sparkprof
from yarn_job import YarnTest, java_of

TASK_SECONDS = RECORDED + 15


def children_of(pid):
    return [int(path.name) for path in pathlib.Path("/proc").glob("[0-9]*") if parent_of(int(path.name)) == pid]


class LostPartsTest(YarnTest):
    def run_until_fault(self, mode, fault, seconds=TASK_SECONDS, **settings):
        """Runs a job of two tasks, and calls `fault(EXECUTOR)` while they run: the one that is alone on its host, if one is."""
        process = self.start_job(mode, 2, seconds, **settings)
        self.await_running_task()
        executors = self.await_executors()
        master = self.host_of_master()
        executor = next((one for one in executors if one.host != master), executors[0])
        fault_time = time.time()
        fault(executor)
        profile = self.profile_of(process)
        self.assert_reported(profile)
        self.assert_kept_until(profile, executor.id, fault_time)
        return profile, executor

    def assert_lost(self, profile, executor, *words):
        """The finding names the executor and the cause."""
        findings = self.findings(profile)
        self.assertIn("lost-executors", findings, profile.show("executors"))
        finding = findings["lost-executors"]
        for word in (f"Executor {executor.id}", *words):
            self.assertIn(word, f"{finding['title']} {finding['what']} {finding['measured']}")

    def test_executor_killed(self):
        profile, executor = self.run_until_fault("client", lambda executor: os.kill(executor.pid, signal.SIGKILL))
        self.assert_job_succeeded(profile)
        # The signal's sender is unknown; usually it is the kernel.
        finding = self.findings(profile)["oom"]
        self.assertIn("exit code 137", finding["what"])
        (task,) = finding["tasks"]
        self.assertEqual([row["executorId"] for row in profile.show("tasks") if row["taskId"] == task], [executor.id])

    def test_link_of_a_host_cut(self):
        profile, executor = self.run_until_fault("client", lambda executor: set_link(executor.host, "down"))
        self.assertEqual(self.cluster.node_states()[executor.host], "LOST")
        self.assert_job_succeeded(profile)
        self.assert_lost(profile, executor, "its host was lost", "-100")

    def test_node_manager_killed(self):
        # Its containers go on, and the job ends before the ResourceManager misses the node.
        profile, _ = self.run_until_fault("client", lambda executor: self.cluster.kill(executor.host))
        self.assert_job_succeeded(profile)

    def test_data_node_killed(self):
        profile, _ = self.run_until_fault("client", lambda _: self.cluster.kill("DataNode"))
        self.assert_job_succeeded(profile)

    def test_application_master_killed_in_client_mode(self):
        profile, _ = self.run_until_fault("client", lambda _: self.kill_java("ExecutorLauncher"))
        self.assert_job_succeeded(profile)
        self.assertEqual(self.state_of_last()[:2], ("SUCCEEDED", 2))

    def test_driver_killed_in_cluster_mode(self):
        profile, _ = self.run_until_fault("cluster", lambda _: self.kill_java("deploy.yarn.ApplicationMaster"))
        self.assertEqual(self.state_of_last()[:2], ("SUCCEEDED", 2))
        self.assert_succeeded(profile)
        self.assertEqual([application["attempt"] for application in profile.info()["applications"]], ["1", "2"])
        self.assertIn("job (attempt 2): ", sparkprof("findings", profile.recording).stdout)

    def test_agents_killed(self):
        def kill_agents(_):
            for pid in agents():
                os.kill(pid, signal.SIGKILL)

        profile, _ = self.run_until_fault("client", kill_agents)
        self.assert_job_succeeded(profile)

    def test_application_killed(self):
        def kill_application(_):
            self.cluster.yarn("application", "-kill", self.application()["id"])

        profile, _ = self.run_until_fault("cluster", kill_application, seconds=600)
        self.assertEqual(profile.process.returncode, 1, profile.process.stderr[-SHOWN:])
        self.assertEqual(self.state_of_last()[0], "KILLED")

    def test_python_worker_killed(self):
        def kill_workers(executor):
            (daemon,) = [pid for pid in children_of(executor.pid) if program_of(pid).startswith("python")]
            for worker in children_of(daemon):
                os.kill(worker, signal.SIGKILL)

        profile, _ = self.run_until_fault("client", kill_workers)
        self.assert_job_succeeded(profile)
        self.assertIn("Python worker exited unexpectedly (crashed)", json.dumps(self.findings(profile)))

    def test_disk_of_a_host_full(self):
        def fill_disk(executor):
            filler = self.cluster.folder / executor.host / "filler"
            self.addCleanup(filler.unlink, missing_ok=True)
            with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
                while True:
                    file.write(bytes(1 << 16))

        profile, _ = self.run_until_fault("client", fill_disk)
        self.assert_job_succeeded(profile)

    def kill_java(self, main):
        (pid,) = java_of(main)
        os.kill(pid, signal.SIGKILL)
