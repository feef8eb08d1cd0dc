#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sparkprof next to what users would run instead, as one table with ratios.

    bench/peers.py [--runs 3] [--megabytes 100] [--markdown]

`make bench-peers` installs the peers and runs it. Each line is the same work on the same input: medians of wall and CPU time of N runs
after one to warm up, the peak of memory, and how many times as much the peer needs. A peer that is not installed is named below the table.
Nothing else should run meanwhile; where something does, compare CPU time.
"""

import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import memray_peer
import pyroscope_peers

ROOT = pathlib.Path(__file__).resolve().parents[1]
CACHE = pathlib.Path(
    os.environ.get("SPARKPROF_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sparkprof"
)
SPARKPROF = os.environ.get("SPARKPROF_BIN", str(ROOT / "bin" / "sparkprof"))
TICKS = os.sysconf("SC_CLK_TCK")
ONE_CORE = ["taskset", "-c", "0"]
HISTORY_SERVER = "4.3.0"
RAPIDS_TOOLS = "spark_rapids_pytools/resources/generated_files/core/jars/rapids-4-spark-tools_2.12-*.jar"

BURN_JAVA = """
public class Burn {
  static long depth(int left, long n) {
    if (left > 0) return depth(left - 1, n) + 1;
    long sum = 0;
    for (long i = 0; i < n; i++) sum += i * i % 7;
    return sum;
  }
  public static void main(String[] arguments) {
    long end = System.nanoTime() + 10_000_000_000L, sum = 0;
    for (int i = 0; System.nanoTime() < end; i++) sum += depth(i % 60, 100_000 + i % 1000);
    System.out.println(sum);
  }
}
"""
BURN_PYTHON = """
import time
def inner(n):
    return sum(i * i % 7 for i in range(n))
def burn():
    while True:
        inner(1000)
burn()
"""


def measure(command, runs):
    """Median wall seconds and CPU seconds, and the peak MiB, of a command."""
    walls, cpus, peak = [], [], 0
    for run in range(runs + 1):
        begin = time.monotonic()
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"peers: failed: {' '.join(map(str, command))}")
        if run > 0:
            walls.append(time.monotonic() - begin)
            cpus.append(usage.ru_utime + usage.ru_stime)
            peak = max(peak, usage.ru_maxrss / 1024)
    return statistics.median(walls), statistics.median(cpus), peak


def cpu_and_peak(pid):
    """CPU seconds so far and peak MiB of a process."""
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    return (int(stat[11]) + int(stat[12])) / TICKS, peak / 1024


def own_peak():
    """MiB of this process, which the kernel counts for the processes that it starts."""
    return cpu_and_peak(os.getpid())[1]


def figures(wall, cpu, peak):
    memory = f"{peak:.0f} MiB" if peak > own_peak() + 1 else f"<{own_peak() + 1:.0f} MiB"
    return [f"{wall:.3g} s" if wall else "–", f"{cpu:.3g} s", memory]


def ratios(ours, theirs):
    memory = ours[2] > own_peak() + 1 and theirs[2] > own_peak() + 1
    pairs = zip(ours, theirs) if memory else zip(ours[:2], theirs[:2])
    found = [f"{other / mine:.1f}" if mine and other else "–" for mine, other in pairs]
    return [*found, *["–"] * (3 - len(found))]


def print_table(rows, markdown):
    head = ["work", "peer", "wall", "CPU", "peak", "peer's wall", "CPU", "peak", "wall ×", "CPU ×", "memory ×"]
    lines = [head]
    for work, peer, ours, theirs in rows:
        lines.append([work, peer, *figures(*ours), *figures(*theirs), *ratios(ours, theirs)])
    if markdown:
        lines.insert(1, ["---"] * len(head))
        for line in lines:
            print(f"| {' | '.join(line)} |")
        return
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


class Peers:
    def __init__(self, folder, runs, megabytes):
        self.folder, self.runs, self.megabytes = folder, runs, megabytes
        self.rows, self.missing = [], []

    def peer(self, what, *path):
        """The path of an installed peer; None, and a line below the table, where it is not."""
        tool = CACHE.joinpath("peers", *path)
        if tool.exists():
            return tool
        self.missing.append(what)
        return None

    @staticmethod
    def spark(version):
        """The folder of an installed PySpark, or None."""
        return next(CACHE.glob(f"pyspark-{version}/lib/python3*/site-packages/pyspark"), None)

    def add(self, work, peer, ours, theirs):
        self.rows.append((work, peer, ours, theirs))
        print(f"peers: {work}: {peer}: done", file=sys.stderr)

    def event_log(self):
        home = self.spark(HISTORY_SERVER)
        if not home:
            self.missing.append("Spark's History Server")
            return
        logs = self.folder / "logs"
        logs.mkdir()
        log = logs / "app-1"
        subprocess.run([ROOT / "bench" / "make_event_log.py", log, str(self.megabytes)], check=True, stdout=subprocess.DEVNULL)
        ours = measure([SPARKPROF, "show", "stages", log, "--json"], self.runs)
        runs = [self.history_server(home, logs) for _ in range(self.runs)]
        theirs = (statistics.median(run[0] for run in runs), statistics.median(run[1] for run in runs), max(run[2] for run in runs))
        work = f"stages of an event log of {log.stat().st_size / 1e6:.0f} MB"
        self.add(work, f"History Server {HISTORY_SERVER}", ours, theirs)
        tools = next(CACHE.glob(f"peers/bench/lib/python3*/site-packages/{RAPIDS_TOOLS}"), None)
        spark = self.spark("3.5.7")
        if not tools or not spark:
            self.missing.append("rapids-tools")
            return
        command = ["java", "-Xmx4g", "-cp", f"{tools}:{spark}/jars/*", "com.nvidia.spark.rapids.tool.profiling.ProfileMain", "--csv"]
        self.add(work, "rapids-tools", ours, measure([*command, "-o", self.folder / "rapids", log], self.runs))

    def history_server(self, home, logs):
        """From the start of the server to the answer of /stages."""
        options = {"fs.logDirectory": f"file:{logs}", "ui.port": "18481", "fs.update.interval": "3600s"}
        command = ["java", "-Xmx4g", "-cp", f"{home}/jars/*", *(f"-Dspark.history.{key}={value}" for key, value in options.items())]
        begin = time.monotonic()
        server = subprocess.Popen(
            [*command, "org.apache.spark.deploy.history.HistoryServer"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            # Until the server listens and has listed the folder, there is nothing to wait for but time.
            while time.monotonic() - begin < 300:
                try:
                    with urllib.request.urlopen("http://127.0.0.1:18481/api/v1/applications/app-1/stages", timeout=300) as answer:
                        json.load(answer)
                    return time.monotonic() - begin, *cpu_and_peak(server.pid)
                except OSError:
                    time.sleep(0.1)
            raise SystemExit("peers: the History Server did not answer within 5 minutes")
        finally:
            server.kill()
            server.wait()

    def stacks(self):
        subprocess.run([ROOT / "bench" / "make_stacks.py", self.folder], check=True)
        perf, folded = self.folder / "perf.txt", self.folder / "stacks.folded"
        flame = [*ONE_CORE, SPARKPROF, "flame"]
        if tool := self.peer("inferno", "inferno", "bin", "inferno-collapse-perf"):
            ours = measure([*flame, perf, "--format", "collapsed", "-o", self.folder / "out.txt"], self.runs)
            self.add("perf script to collapsed stacks, 100 MB", "inferno", ours, measure([*ONE_CORE, tool, "-n", "1", perf], self.runs))
            drawing = CACHE / "peers" / "inferno" / "bin" / "inferno-flamegraph"
            ours = measure([*flame, folded, "-o", self.folder / "out.svg"], self.runs)
            self.add("collapsed stacks to SVG, 60 MB", "inferno", ours, measure([*ONE_CORE, drawing, folded], self.runs))

    def jfr(self):
        converter = self.peer("async-profiler's converter", "jfr-converter.jar")
        if not converter:
            return
        (self.folder / "Burn.java").write_text(BURN_JAVA)
        one, many = self.folder / "one.jfr", self.folder / "many.jfr"
        recording = f"-XX:StartFlightRecording:filename={one},settings=profile"
        subprocess.run(["java", recording, self.folder / "Burn.java"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Chunks may be concatenated.
        with open(many, "wb") as file:
            for _ in range(max(1, self.megabytes * 1_000_000 // one.stat().st_size)):
                file.write(one.read_bytes())
        ours = measure([SPARKPROF, "convert", many, "-o", self.folder / "jfr.collapsed"], self.runs)
        theirs = measure(["java", "-jar", converter, "--cpu", "-o", "collapsed", many, self.folder / "jfr.txt"], self.runs)
        self.add(f"JFR to collapsed stacks, {many.stat().st_size / 1e6:.0f} MB", "jfr-converter 4.5", ours, theirs)

    def python_sampling(self, seconds=10):
        (self.folder / "burn.py").write_text(BURN_PYTHON)
        job = subprocess.Popen([sys.executable, self.folder / "burn.py"])
        options = ["--duration", f"{seconds}s", "-o", self.folder / "a.collapsed"]
        ours = [SPARKPROF, "attach", job.pid, "--python", "--interval", "10ms", *options]
        py_spy = ["record", "--pid", job.pid, "--rate", "100", "--duration", seconds, "--format", "raw", "--output", self.folder / "b.txt"]
        austin = ["--interval", "10ms", "--exposure", seconds, "--output", self.folder / "c.mojo", "--pid", job.pid]
        try:
            for peer, options in (("py-spy", py_spy), ("austin", austin)):
                if tool := self.peer(peer, "bench", "bin", peer):
                    # The wheel of austin 4.0.0 needs glibc 2.38.
                    if subprocess.run([tool, "--version"], capture_output=True, check=False).returncode != 0:
                        self.missing.append(f"{peer} (it does not start on this system)")
                        continue
                    mine, theirs = measure(ours, 1), measure([tool, *options], 1)
                    self.add(f"{seconds} s of a Python process at 100 Hz", peer, (0, *mine[1:]), (0, *theirs[1:]))
        finally:
            job.send_signal(signal.SIGKILL)
            job.wait()

    def python_allocations(self):
        python = self.peer("memray", "memray", "bin", "python")
        library = next(ROOT.glob(f"python/sparkprof/native/linux-{'x64' if os.uname().machine == 'x86_64' else 'arm64'}/*.so"), None)
        if python and library:
            ours, theirs = memray_peer.allocation_profilers(python, library, self.folder, self.runs)
            self.add("overhead for Python's allocations by line", "memray 1.20.0", (0, *ours), (0, *theirs))

    def pyroscope(self):
        if python := self.peer("Pyroscope's Python SDK", "pyroscope", "bin", "python"):
            ours, theirs = pyroscope_peers.python_profilers(python, SPARKPROF, self.folder, self.runs)
            work = f"overhead for {pyroscope_peers.SECONDS} s of Python at 100 Hz"
            self.add(work, "Pyroscope's SDK 1.4.0", (0, *ours), (0, *theirs))
        if agent := self.peer("Pyroscope's Java agent", "pyroscope-agent.jar"):
            ours, theirs = pyroscope_peers.jvm_profilers(agent, SPARKPROF, self.folder, self.runs)
            work = f"overhead for {pyroscope_peers.SECONDS} s of Java at 100 Hz"
            self.add(work, "Pyroscope's agent 2.1.2", (0, *ours), (0, *theirs))

    def processes(self, count=300, seconds=10):
        python = self.peer("psutil", "bench", "bin", "python")
        if not python:
            return
        tree = subprocess.Popen(["sh", "-c", f"for i in $(seq {count}); do sleep 600 & done; wait"], start_new_session=True)
        scan = f"""
import psutil, time
end = time.monotonic() + {seconds}
while time.monotonic() < end:
    begin = time.monotonic()
    for process in psutil.Process({tree.pid}).children(recursive=True):
        with process.oneshot(): process.cpu_times(); process.memory_info(); process.io_counters(); process.num_threads(); process.name()
    time.sleep(max(0, 1 - (time.monotonic() - begin)))
"""
        try:
            monitor = [SPARKPROF, "monitor", "--root", tree.pid, "--others", "0s", "--interval", "1s", "--duration", f"{seconds}s"]
            ours = measure([*monitor, "--dir", self.folder / "nodes"], 1)
            theirs = measure([python, "-c", scan], 1)
        finally:
            os.killpg(tree.pid, signal.SIGKILL)
            tree.wait()
        self.add(f"{seconds} scans of {count} processes", "psutil", (0, *ours[1:]), (0, *theirs[1:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--megabytes", type=int, default=100, help="size of the event log and of the JFR file")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        peers = Peers(pathlib.Path(folder), options.runs, options.megabytes)
        works = (peers.event_log, peers.stacks, peers.jfr, peers.python_sampling, peers.python_allocations)
        for work in (*works, peers.pyroscope, peers.processes):
            work()
        print_table(peers.rows, options.markdown)
        if peers.missing:
            print(f"Not installed: {', '.join(peers.missing)} (scripts/setup bench-peers)")


if __name__ == "__main__":
    main()
