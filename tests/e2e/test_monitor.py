# SPDX-License-Identifier: Apache-2.0
"""The node monitor on real processes: what it counts equals the operating system's own counters."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import unittest

from collector import Collector
from support import DEADLINE, SPARKPROF, TestCase, sparkprof, wait_until

SLOW = os.environ.get("SPARKPROF_SLOW_TESTS") == "1"

# Forks children that burn 5 ms of CPU each, then keeps memory and prints what the system counted for it all.
FORKS = textwrap.dedent("""
    import os, resource, sys, time
    for _ in range(int(sys.argv[1])):
        pid = os.fork()
        if pid == 0:
            begin = time.process_time()
            while time.process_time() - begin < 0.005: pass
            os._exit(0)
        os.waitpid(pid, 0)
    data = bytearray(50 << 20)
    time.sleep(2)  # memory shares are read once a second at most
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(sum(u.ru_utime + u.ru_stime for u in used), int(peak) * 1024, flush=True)
    sys.stdin.read()
""")


class MonitorTest(TestCase):
    def start(self, *options, **keywords):
        # The tests may run under nohup, whose children ignore SIGHUP.
        process = subprocess.Popen(
            [SPARKPROF, "monitor", *map(str, options)],
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
            **keywords,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def job(self, program, *arguments):
        process = subprocess.Popen(
            [sys.executable, "-c", program, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for_recording(self, folder, count=1):
        wait_until(lambda: sum(file.stat().st_size > 0 for file in folder.glob("*.sprof")) == count, "a recording")

    def processes(self, *arguments):
        return json.loads(sparkprof("show", "processes", *map(str, arguments), "--json").stdout)

    def end(self, monitor):
        monitor.send_signal(signal.SIGTERM)
        self.assertEqual(monitor.wait(timeout=DEADLINE), 0, monitor.stderr.read())

    def measure_forks(self, count):
        job = self.job(FORKS, count)
        monitor = self.start("--dir", self.folder / "nodes", "--root", job.pid, "--interval", "200ms")
        cpu, peak = map(float, job.stdout.readline().split())
        self.end(monitor)
        rows = self.processes(self.folder / "nodes")
        root = next(row for row in rows if row["pid"] == job.pid)
        self.assertEqual(root["type"], "other")
        self.assertLessEqual(abs(sum(row["cpuSeconds"] for row in rows) - cpu), max(0.02 * cpu, 0.05), rows)
        self.assertLessEqual(abs(root["maxRssBytes"] - peak), 0.02 * peak)
        self.assertGreater(root["maxPrivateBytes"], 50 << 20)
        self.assertGreater(root["maxVirtualBytes"], root["maxRssBytes"])

    def test_cpu_time_of_short_lived_children_is_that_of_getrusage(self):
        self.measure_forks(300)

    @unittest.skipUnless(SLOW, "10,000 children take a minute: make test-all")
    def test_cpu_time_of_ten_thousand_children_is_that_of_getrusage(self):
        self.measure_forks(10_000)

    def test_a_killed_monitor_leaves_a_readable_recording(self):
        job = self.job("import sys; sys.stdin.read()")
        monitor = self.start("--dir", self.folder / "nodes", "--root", job.pid, "--interval", "50ms")
        self.wait_for_recording(self.folder / "nodes")
        monitor.kill()
        monitor.wait()
        self.assertEqual([row["pid"] for row in self.processes(self.folder / "nodes")], [job.pid])

    def test_the_monitor_ends_with_its_roots(self):
        job = self.job("pass")
        monitor = self.start("--dir", self.folder / "nodes", "--root", os.getpid(), "--interval", "50ms", "--duration", "300ms")
        self.assertEqual(monitor.wait(timeout=DEADLINE), 0)
        job.wait()
        other = self.job("import sys; sys.stdin.readline()")
        monitor = self.start("--dir", self.folder / "nodes", "--root", other.pid, "--interval", "50ms")
        self.wait_for_recording(self.folder / "nodes", 2)
        other.communicate("\n")
        self.assertEqual(monitor.wait(timeout=DEADLINE), 0)

    def test_two_monitors_of_a_host_do_not_share_a_folder(self):
        first = self.start("--dir", self.folder / "nodes", "--root", os.getpid())
        self.wait_for_recording(self.folder / "nodes")
        second = self.start("--dir", self.folder / "nodes", "--root", os.getpid())
        self.assertEqual(second.wait(timeout=DEADLINE), 2)
        self.assertIn(f"another monitor of this host writes here (process {first.pid})", second.stderr.read())
        self.end(first)

    def test_two_monitors_of_a_host_record_each_process_once(self):
        job = self.job("import sys; sys.stdin.read()")
        folders = self.folder / "a", self.folder / "b"
        monitors = [self.start("--dir", folder, "--root", job.pid, "--interval", "50ms") for folder in folders]
        for folder in folders:
            self.wait_for_recording(folder)
        for monitor in monitors:
            self.end(monitor)
        self.assertEqual([row["pid"] for row in self.processes(*folders)], [job.pid])

    def test_a_process_in_a_namespace_of_its_own_has_the_hosts_id(self):
        unshare = ["unshare", "--pid", "--fork", "--mount-proc"]
        if subprocess.run([*unshare, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("namespaces need root")
        job = subprocess.Popen([*unshare, sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
        self.addCleanup(job.communicate)
        children = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children")
        child = int(wait_until(children.read_text, "the process in its namespace"))
        wait_until(lambda: "python" in pathlib.Path(f"/proc/{child}/comm").read_text(), "its program")
        monitor = self.start("--dir", self.folder / "nodes", "--root", job.pid, "--interval", "50ms")
        self.wait_for_recording(self.folder / "nodes")
        job.communicate()
        self.assertEqual(monitor.wait(timeout=DEADLINE), 0, monitor.stderr.read())
        rows = {row["pid"]: row for row in self.processes(self.folder / "nodes")}
        self.assertEqual(rows[child]["ppid"], job.pid)
        self.assertGreater(rows[child]["maxVirtualBytes"], 1 << 20)

    def test_hidden_processes_are_noticed(self):
        proc = self.folder / "proc"
        proc.mkdir()
        mount = ["mount", "-t", "proc", "-o", "hidepid=2", "proc", str(proc)]
        if subprocess.run(mount, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("mounting needs root")
        self.addCleanup(subprocess.run, ["umount", "-l", str(proc)])
        (self.folder / "nodes").mkdir()
        os.chmod(self.folder, 0o755)
        os.chmod(self.folder / "nodes", 0o777)
        monitor = self.start(
            "--dir", self.folder / "nodes", "--proc", proc, "--duration", "200ms", user="nobody", group="nogroup", extra_groups=[]
        )
        self.assertEqual(monitor.wait(timeout=DEADLINE), 0, monitor.stderr.read())
        self.assertIn("hidepid", sparkprof("info", self.folder / "nodes", "--json").stdout)

    def test_the_end_of_a_connection_ends_the_monitor(self):
        monitor = self.start("--dir", self.folder / "nodes", "--root", os.getpid(), "--interval", "50ms")
        self.wait_for_recording(self.folder / "nodes")
        monitor.send_signal(signal.SIGHUP)
        self.assertEqual(monitor.wait(timeout=DEADLINE), 0, monitor.stderr.read())
        self.assertTrue(json.loads(sparkprof("info", self.folder / "nodes", "--json").stdout)["complete"])

    def test_the_collector_gets_what_was_recorded_while_it_was_away(self):
        with Collector(self.folder / "data") as collector:
            url, port = collector.url, collector.url.rsplit(":", 1)[1]
        spool = self.folder / "spool"
        job = self.job("import sys; sys.stdin.read()")
        monitor = self.start("--server", url, "--spool", spool, "--root", job.pid, "--interval", "100ms")
        self.wait_for_recording(spool)
        with Collector(self.folder / "data", port=port):
            self.end(monitor)
            self.assertEqual(list(spool.glob("*.sprof")), [])
            rows = self.processes(self.folder / "data" / "recordings")
        self.assertEqual([row["pid"] for row in rows], [job.pid])

    def test_a_full_spool_drops_the_oldest_and_counts_it(self):
        spool = self.folder / "spool"
        spool.mkdir()
        made = self.start("--dir", self.folder / "earlier", "--others", "50ms", "--interval", "50ms", "--duration", "500ms")
        self.assertEqual(made.wait(timeout=DEADLINE), 0, made.stderr.read())
        block = next((self.folder / "earlier").glob("*.sprof")).read_bytes()
        # What an earlier monitor left while the collector was away: four files of 3 MiB, the first one the oldest.
        left = [spool / f"node-{number}.sprof" for number in range(4)]
        for number, file in enumerate(left):
            file.write_bytes(block * (1 + (3 << 20) // len(block)))
            os.utime(file, (1_000_000 + number, 1_000_000 + number))
        sizes = [file.stat().st_size for file in left]
        with Collector(self.folder / "data") as collector:
            url, port = collector.url, collector.url.rsplit(":", 1)[1]
        job = self.job("import sys; sys.stdin.read()")
        monitor = self.start("--server", url, "--spool", spool, "--spool-size", "8m", "--root", job.pid, "--interval", "100ms")
        wait_until(lambda: [file.exists() for file in left] == [False, False, True, True], "the two oldest to be dropped")
        with Collector(self.folder / "data", port=port):
            monitor.send_signal(signal.SIGTERM)
            self.assertEqual(monitor.wait(timeout=DEADLINE), 0)
            said = monitor.stderr.read()
            self.assertEqual(list(spool.glob("*.sprof")), [])
            losses = json.loads(sparkprof("info", self.folder / "data" / "recordings", "--json").stdout)["losses"]
        self.assertIn("the spool is full", said)
        self.assertEqual([loss["count"] for loss in losses if loss["what"] == "spool_bytes"], [sum(sizes[:2])], losses)

    def test_every_verb_reads_a_nodes_recording(self):
        monitor = self.start("--dir", self.folder, "--others", "1s", "--duration", "1s")
        self.assertEqual(monitor.wait(timeout=DEADLINE), 0, monitor.stderr.read())
        recording = next(self.folder.glob("*.sprof"))
        info = json.loads(sparkprof("info", recording, "--json").stdout)
        self.assertTrue(info["applications"][0]["id"].startswith("node-"), info)
        sparkprof("report", recording, "-o", self.folder / "node.html")
        rows = self.processes(recording)
        self.assertIn(os.getpid(), [row["pid"] for row in rows])


if __name__ == "__main__":
    unittest.main()
