# SPDX-License-Identifier: Apache-2.0
"""The cost of `sparkprof monitor`: CPU time as a share of a core, memory, and how long a spool of 1 GiB lasts.

python3 bench/monitor_cost.py [--sparkprof bin/sparkprof] [--seconds 60] [--processes 1000] [--tree 100]
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

# Every value of such a process changes at each reading, as in a worker at work: the largest recording.
WORKER = """
import os, random, time
data = open(os.devnull, 'wb')
while True:
    kept = bytearray(random.randrange(1, 8) << 20)
    data.write(kept)
    end = time.process_time() + 0.003
    while time.process_time() < end: pass
    time.sleep(0.5)
"""
SPOOL_BYTES = 1 << 30


def workers(count):
    """A Python process with so many children that work a little."""
    parent = "import os, sys\nfor _ in range(int(sys.argv[1])):\n    if os.fork() == 0: exec(sys.argv[2])\nos.wait()"
    process = subprocess.Popen([sys.executable, "-c", parent, str(count), WORKER], start_new_session=True)
    children = f"/proc/{process.pid}/task/{process.pid}/children"
    while len(open(children).read().split()) < count:
        time.sleep(0.2)
    return process


def sleepers(count):
    """A shell with so many sleeping children."""
    process = subprocess.Popen(["sh", "-c", f"for i in $(seq {count}); do sleep 3600 & done; wait"], start_new_session=True)
    children = f"/proc/{process.pid}/task/{process.pid}/children"
    while len(open(children).read().split()) < count:
        time.sleep(0.2)
    return process


def peak_bytes(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(arguments, name, *options):
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        monitor = subprocess.Popen([arguments.sparkprof, "monitor", "--dir", folder, *options], stderr=subprocess.DEVNULL)
        try:
            time.sleep(15)  # the first look at each process
            begin, before = time.monotonic(), cpu_seconds(monitor.pid)
            time.sleep(arguments.seconds)
            used = (cpu_seconds(monitor.pid) - before) / (time.monotonic() - begin)
            peak = peak_bytes(monitor.pid)
        finally:
            monitor.send_signal(signal.SIGTERM)
            monitor.wait()
        size = sum(os.path.getsize(os.path.join(folder, file)) for file in os.listdir(folder))
    per_hour = size / (time.monotonic() - start) * 3600
    print(
        f"{name}: {100 * used:.2f}% of a core, {peak / (1 << 20):.1f} MiB, {size / 1024:.0f} KiB written, "
        f"{per_hour / (1 << 20):.1f} MiB per hour: 1 GiB lasts {SPOOL_BYTES / per_hour:.0f} h",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sparkprof", default="bin/sparkprof")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--processes", type=int, default=1000)
    parser.add_argument("--tree", type=int, default=100)
    arguments = parser.parse_args()
    roots = []
    try:
        roots.append(sleepers(arguments.tree))
        tree = ("--root", str(roots[0].pid))
        measure(arguments, f"a tree of {arguments.tree} at 1 s", *tree, "--interval", "1s")
        roots.append(workers(arguments.tree))
        measure(arguments, f"a tree of {arguments.tree} workers at 1 s", "--root", str(roots[-1].pid), "--interval", "1s")
        roots.append(sleepers(arguments.processes))
        measure(arguments, f"the tree, and {arguments.processes} others, at 10 s", *tree, "--interval", "10s", "--others", "10s")
        large = ("--root", str(roots[-1].pid))
        measure(arguments, f"a tree of {arguments.processes} at 10 s", *large, "--interval", "10s")
        measure(arguments, f"a tree of {arguments.processes} at 1 s", *large, "--interval", "1s")
    finally:
        for root in roots:
            os.killpg(root.pid, signal.SIGTERM)
            root.wait()


if __name__ == "__main__":
    main()
