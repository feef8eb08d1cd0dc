# SPDX-License-Identifier: Apache-2.0
"""The node monitor on real processes: what it counts equals the operating system's own counters."""

import os
import pathlib
import signal
import subprocess
import sys
import textwrap

from collector import Collector
from support import DEADLINE, SPARKPROF, TestCase, execute, json_of, slow, sparkprof, wait_until

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
    def start_monitor(self, *options, **keywords):
        # The tests may run under nohup, whose children ignore SIGHUP.
        with_hangup = lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL)
        return self.start(SPARKPROF, "monitor", *options, stderr=subprocess.PIPE, text=True, preexec_fn=with_hangup, **keywords)

    def job(self, program, *arguments):
        process = self.start(sys.executable, "-c", program, *arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        return process

    def wait_for_recording(self, folder, count=1):
        wait_until(lambda: sum(file.stat().st_size > 0 for file in folder.glob("*.sprof")) == count, "a recording")

    def processes(self, *arguments):
        return json_of("show", "processes", *arguments)

    def end(self, monitor, number=signal.SIGTERM):
        monitor.send_signal(number)
        self.assert_ends(monitor)

    def assert_ends(self, monitor, code=0):
        """What it printed."""
        _, said = monitor.communicate(timeout=DEADLINE)
        self.assertEqual(monitor.returncode, code, said)
        return said

    def measure_forks(self, count):
        job = self.job(FORKS, count)
        monitor = self.start_monitor("--dir", self.folder / "nodes", "--root", job.pid, "--interval", "200ms")
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

    @slow("a test of 10,000 children is")
    def test_cpu_time_of_ten_thousand_children_is_that_of_getrusage(self):
        self.measure_forks(10_000)

    def test_a_killed_monitor_leaves_a_readable_recording(self):
        job = self.job("import sys; sys.stdin.read()")
        monitor = self.start_monitor("--dir", self.folder / "nodes", "--root", job.pid, "--interval", "50ms")
        self.wait_for_recording(self.folder / "nodes")
        monitor.kill()
        monitor.wait()
        self.assertEqual([row["pid"] for row in self.processes(self.folder / "nodes")], [job.pid])

    def test_the_monitor_ends_with_its_roots(self):
        job = self.job("pass")
        monitor = self.start_monitor("--dir", self.folder / "nodes", "--root", os.getpid(), "--interval", "50ms", "--duration", "300ms")
        self.assert_ends(monitor)
        job.wait()
        other = self.job("import sys; sys.stdin.readline()")
        monitor = self.start_monitor("--dir", self.folder / "nodes", "--root", other.pid, "--interval", "50ms")
        self.wait_for_recording(self.folder / "nodes", 2)
        other.communicate("\n")
        self.assert_ends(monitor)

    def test_two_monitors_of_a_host_do_not_share_a_folder(self):
        first = self.start_monitor("--dir", self.folder / "nodes", "--root", os.getpid())
        self.wait_for_recording(self.folder / "nodes")
        second = self.start_monitor("--dir", self.folder / "nodes", "--root", os.getpid())
        said = self.assert_ends(second, code=2)
        self.assertIn(f"another monitor of this host writes here (process {first.pid})", said)
        self.end(first)

    def test_two_monitors_of_a_host_record_each_process_once(self):
        job = self.job("import sys; sys.stdin.read()")
        folders = self.folder / "a", self.folder / "b"
        monitors = [self.start_monitor("--dir", folder, "--root", job.pid, "--interval", "50ms") for folder in folders]
        for folder in folders:
            self.wait_for_recording(folder)
        for monitor in monitors:
            self.end(monitor)
        self.assertEqual([row["pid"] for row in self.processes(*folders)], [job.pid])

    def test_a_process_in_a_namespace_of_its_own_has_the_hosts_id(self):
        unshare = ["unshare", "--pid", "--fork", "--mount-proc"]
        if execute(*unshare, "true", code=None).returncode != 0:
            self.skipTest("namespaces need root")
        job = self.start(*unshare, sys.executable, "-c", "import sys; sys.stdin.read()", stdin=subprocess.PIPE)
        self.addCleanup(job.communicate)
        children = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children")
        child = int(wait_until(children.read_text, "the process in its namespace"))
        wait_until(lambda: "python" in pathlib.Path(f"/proc/{child}/comm").read_text(), "its program")
        monitor = self.start_monitor("--dir", self.folder / "nodes", "--root", job.pid, "--interval", "50ms")
        self.wait_for_recording(self.folder / "nodes")
        job.communicate()
        self.assert_ends(monitor)
        rows = {row["pid"]: row for row in self.processes(self.folder / "nodes")}
        self.assertEqual(rows[child]["ppid"], job.pid)
        self.assertGreater(rows[child]["maxVirtualBytes"], 1 << 20)

    def test_hidden_processes_are_noticed(self):
        proc = self.folder / "proc"
        proc.mkdir()
        if execute("mount", "-t", "proc", "-o", "hidepid=2", "proc", proc, code=None).returncode != 0:
            self.skipTest("mounting needs root")
        self.addCleanup(execute, "umount", "-l", proc)
        (self.folder / "nodes").mkdir()
        os.chmod(self.folder, 0o755)
        os.chmod(self.folder / "nodes", 0o777)
        nobody = {"user": "nobody", "group": "nogroup", "extra_groups": []}
        monitor = self.start_monitor("--dir", self.folder / "nodes", "--proc", proc, "--duration", "200ms", **nobody)
        self.assert_ends(monitor)
        self.assertIn("hidepid", sparkprof("info", self.folder / "nodes", "--json").stdout)

    def test_the_end_of_a_connection_ends_the_monitor(self):
        monitor = self.start_monitor("--dir", self.folder / "nodes", "--root", os.getpid(), "--interval", "50ms")
        self.wait_for_recording(self.folder / "nodes")
        self.end(monitor, signal.SIGHUP)
        self.assertTrue(json_of("info", self.folder / "nodes")["complete"])

    def test_the_collector_gets_what_was_recorded_while_it_was_away(self):
        with Collector(self.folder / "data") as collector:
            url, port = collector.url, collector.port
        spool = self.folder / "spool"
        job = self.job("import sys; sys.stdin.read()")
        monitor = self.start_monitor("--server", url, "--spool", spool, "--root", job.pid, "--interval", "100ms")
        self.wait_for_recording(spool)
        with Collector(self.folder / "data", port=port):
            self.end(monitor)
            self.assertEqual(list(spool.glob("*.sprof")), [])
            rows = self.processes(self.folder / "data" / "recordings")
        self.assertEqual([row["pid"] for row in rows], [job.pid])

    def test_a_full_spool_drops_the_oldest_and_counts_it(self):
        spool = self.folder / "spool"
        spool.mkdir()
        made = self.start_monitor("--dir", self.folder / "earlier", "--others", "50ms", "--interval", "50ms", "--duration", "500ms")
        self.assert_ends(made)
        block = next((self.folder / "earlier").glob("*.sprof")).read_bytes()
        # What an earlier monitor left while the collector was away: four files of 3 MiB, the first one the oldest.
        left = [spool / f"node-{number}.sprof" for number in range(4)]
        for number, file in enumerate(left):
            file.write_bytes(block * (1 + (3 << 20) // len(block)))
            os.utime(file, (1_000_000 + number, 1_000_000 + number))
        sizes = [file.stat().st_size for file in left]
        with Collector(self.folder / "data") as collector:
            url, port = collector.url, collector.port
        job = self.job("import sys; sys.stdin.read()")
        monitor = self.start_monitor("--server", url, "--spool", spool, "--spool-size", "8m", "--root", job.pid, "--interval", "100ms")
        wait_until(lambda: [file.exists() for file in left] == [False, False, True, True], "the two oldest to be dropped")
        with Collector(self.folder / "data", port=port):
            monitor.send_signal(signal.SIGTERM)
            said = self.assert_ends(monitor)
            self.assertEqual(list(spool.glob("*.sprof")), [])
            losses = json_of("info", self.folder / "data" / "recordings")["losses"]
        self.assertIn("the spool is full", said)
        self.assertEqual([loss["count"] for loss in losses if loss["what"] == "spool_bytes"], [sum(sizes[:2])], losses)

    def test_every_verb_reads_a_nodes_recording(self):
        monitor = self.start_monitor("--dir", self.folder, "--others", "1s", "--duration", "1s")
        self.assert_ends(monitor)
        recording = next(self.folder.glob("*.sprof"))
        info = json_of("info", recording)
        self.assertTrue(info["applications"][0]["id"].startswith("node-"), info)
        sparkprof("report", recording, "-o", self.folder / "node.html")
        self.assertIn(os.getpid(), [row["pid"] for row in self.processes(recording)])
