# SPDX-License-Identifier: Apache-2.0
"""Tests with jobs on the YARN cluster: submitting them, and finding their containers and processes."""

import collections
import os
import pathlib
import re
import signal

import cluster_of_tests
import spark_jobs
from cluster_job import JOB, ClusterTest
from network import THIS_HOST, set_link
from proc import processes_named, program_of, words_of
from spark_jobs import Spark
from support import wait_until

# Classes that containers run.
CONTAINERS = ("YarnCoarseGrainedExecutorBackend", "deploy.yarn.ApplicationMaster", "deploy.yarn.ExecutorLauncher")


def value_of(option, pid):
    words = words_of(pid)
    return words[words.index(option) + 1] if option in words else None


def environment_of(pid):
    try:
        entries = pathlib.Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return {}
    return dict(entry.split("=", 1) for entry in entries if "=" in entry)


def java_of(main, container=""):
    """Pids of the JVMs with this class in the containers of an application, or in this container."""
    return [pid for pid in processes_named(main) if program_of(pid) == "java" and container in environment_of(pid).get("CONTAINER_ID", "")]


class Executor:
    """`id`, `host` and `pid` of an executor that runs in a container."""

    def __init__(self, container):
        (self.pid,) = java_of("YarnCoarseGrainedExecutorBackend", container)
        self.id, self.host = value_of("--executor-id", self.pid), value_of("--hostname", self.pid)


class YarnTest(ClusterTest):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cluster_of_tests.get()
        cls.spark = Spark(cluster_of_tests.VERSION)

    def setUp(self):
        super().setUp()
        self.addCleanup(self.end_applications)

    def end_applications(self):
        """Also what a lost or killed node left."""
        for name in self.cluster.nodes:
            set_link(name, "up")
            daemon = self.cluster.daemons.get(name)
            if daemon is None or daemon.poll() is not None:  # killed, or decommissioned
                self.cluster.start_node(name)
        if "DataNode" not in self.cluster.daemons:
            self.cluster.start_data_node()
        for application in self.applications("NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"):
            self.cluster.yarn("application", "-kill", application["id"])
        for main in CONTAINERS:
            for pid in java_of(main):
                os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not any(map(java_of, CONTAINERS)), "the containers to end")
        self.cluster.await_nodes()

    def await_executors(self):
        """The executors that run the first two tasks."""
        return [Executor(container) for container in self.await_tasks()]

    def environment(self):
        return self.cluster.environment(self.spark) | {"SPARK_LOCAL_IP": "", "SPARK_LOCAL_HOSTNAME": THIS_HOST}

    def submit(self, mode, *arguments, job=JOB, **settings):
        """The command of a job with these arguments behind its folder."""
        options = [*self.cluster.submit_options(self.spark), "--deploy-mode", mode, "--name", "job"]
        return spark_jobs.submit(job, self.data, *arguments, master=None, conf=settings, options=options)

    def assert_few_files(self, folder, profile, processes):
        """At most two files per process are left in a folder on HDFS: the joined one, and one that came later."""
        application = profile.info()["applications"][0]["id"]
        printed = self.cluster.file_system("-ls", "-C", f"{folder}/{application}").decode().split()
        listed = [word for word in printed if word.startswith(folder)]
        counts = collections.Counter(file.rsplit("/", 1)[1].split("-")[0] for file in listed)
        self.assertEqual(set(counts), processes, listed)
        self.assertLessEqual(max(counts.values()), 2, listed)

    def start_job(self, mode, *arguments, options=(), **settings):
        """Starts a profiled job; see profile_of()."""
        return self.start_profiled(self.submit(mode, *arguments, **settings), self.environment(), options)

    def applications(self, states):
        return (self.cluster.asked(f"apps?states={states}")["apps"] or {}).get("app", [])

    def application(self):
        """The application that runs, as the ResourceManager describes it."""
        (application,) = wait_until(lambda: self.applications("RUNNING"), "a running application")
        return application

    def host_of_master(self):
        return self.application()["amHostHttpAddress"].rsplit(":", 1)[0]

    def state_of_last(self):
        """(final status, attempts, diagnostics) of the application that started last."""
        last = max(self.cluster.asked("apps")["apps"]["app"], key=lambda application: application["startedTime"])
        attempts = self.cluster.asked(f"apps/{last['id']}/appattempts")["appAttempts"]["appAttempt"]
        return last["finalStatus"], len(attempts), re.sub(r"\s+", " ", last["diagnostics"])
