# SPDX-License-Identifier: Apache-2.0
"""Monitored nodes: what the collector answers about them, and processes that slow a job as its neighbors."""

import collections
import os
import pathlib
import re
import signal
import socket
import sys
import time

from collector import API, Collector
from spark_jobs import run_job
from support import DEADLINE, EXAMPLES, SPARKPROF, TestCase, sparkprof, wait_until

SPIN = "while True: pass"


class NodesTest(TestCase):
    def spinner(self, name):
        """A process that is busy, called `name`."""
        program = self.folder / name
        if not program.exists():
            program.symlink_to(os.path.realpath(sys.executable))
        process = self.start(program, "-c", SPIN)
        wait_until(lambda: pathlib.Path(f"/proc/{process.pid}/comm").read_text().strip() == name, "its program")
        return process

    def test_the_collector_shows_what_nodes_used_and_who(self):
        spinner = self.spinner("spinner")
        with Collector(self.folder / "data") as collector:
            begin = int(time.time() * 1000)
            places = ("--server", collector.url, "--spool", self.folder / "spool")
            self.start(SPARKPROF, "monitor", *places, "--interval", "200ms", "--others", "400ms")
            window = {"from": begin, "to": begin + 120_000}
            used = lambda: [node for node in collector.get("/nodes", **window, spans=12).json()["nodes"] if any(node["cpu"])]
            [node] = wait_until(used, "readings of the host")
            self.assertEqual(node["host"], socket.gethostname())
            self.assertEqual(node["cores"], os.cpu_count())
            self.assertLessEqual(max(value for value in node["cpu"] if value is not None), os.cpu_count())
            self.assertIsNone(node["cpu"][-1], "two minutes from now")
            self.assertLess(max(value or 0 for value in node["memory"]), node["memoryBytes"])
            processes = lambda: collector.get(f"/nodes/{node['host']}/processes", **window, limit=500).json()["processes"]
            find = lambda: [row for row in processes() if row["pid"] == spinner.pid and row["cpuSeconds"] > 0]
            [row] = wait_until(find, "the busy process")
            self.assertEqual(row["name"], "spinner")
            self.assertLessEqual(row["cores"], 1.05)
            self.assertEqual(collector.request("GET", f"{API}/nodes/unknown/processes").status, 404)
            for bad in ("spans=0", "spans=201", "from=5&to=5", "from=0", "x=1"):
                self.assertEqual(collector.request("GET", f"{API}/nodes?{bad}").status, 400, bad)

    def test_a_busy_process_of_somebody_else_is_named_beside_the_tasks_that_wait_for_a_cpu(self):
        monitor = self.start(SPARKPROF, "monitor", "--dir", self.folder / "nodes", "--interval", "500ms", "--others", "500ms")
        for _ in range(2 * os.cpu_count()):
            self.spinner("stranger")
        profile = run_job(self.folder, EXAMPLES / "suite_job.py", "sum", 1_000_000_000, master="local[4]")
        monitor.send_signal(signal.SIGTERM)
        self.assertEqual(monitor.wait(timeout=DEADLINE), 0)
        about_the_run = sparkprof("findings", profile.recording, self.folder / "nodes").stdout.partition("About the run:")[2]
        pattern = (
            rf"tasks wait for a CPU .* get \d\.\d cores for 4 task slots.* on {socket.gethostname()}, "
            rf"(\S+) \(user \S+\) used \d\.\d of {os.cpu_count()} cores meanwhile .*\(cpu-starved\)"
        )
        self.assertRegex(" ".join(about_the_run.split()), pattern)
        named = re.search(pattern, " ".join(about_the_run.split()))[1]
        rows = profile.show("processes", self.folder / "nodes")
        used = collections.Counter()
        for row in rows:
            if not row.get("application"):
                used[row["name"]] += row["cpuSeconds"] or 0
        # On a busy machine, another process may have used more than those of this test.
        self.assertGreaterEqual(used[named], used["stranger"])
        # It is not a process of the application.
        self.assertEqual({row.get("application") for row in rows if row["name"] == "stranger"}, {None})
