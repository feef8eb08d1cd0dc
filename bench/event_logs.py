#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sparkprof next to what users would run instead, on the same event logs: event_logs.py LOG… [--peers DIR] [--runs N].

For each log: `sparkprof show stages LOG --json` on one core and on all, wall time, CPU time, MB/s of the decompressed
log and peak memory, the median of N runs after one to warm up. Several logs are then read by one command, with one
thread and with as many as there are cores. With --peers, DIR/shs.sh LOG and DIR/rapids-tools.sh LOG run one after the
other, which print their own lines. Nothing runs at the same time as anything else.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def measure(command):
    """Seconds of wall time and of CPU time, MiB at most, of one run."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begin
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{command[0]} ended with {os.waitstatus_to_exitcode(status)}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def expanded_megabytes(sparkprof, log):
    """Reads the log once to warm up the cache."""
    answer = subprocess.run([sparkprof, "analyze", log, "--no-report", "--json"], stdout=subprocess.PIPE, check=True)
    return sum(read["bytes"] for read in json.loads(answer.stdout)["inputs"]) / 1e6


def report(label, megabytes, command, runs):
    rows = [measure(command) for _ in range(runs)]
    wall, cpu, peak = (statistics.median(column) for column in zip(*rows))
    print(
        f"{label}: {wall:.2f} s ({min(rows)[0]:.2f}-{max(rows)[0]:.2f}), {megabytes / wall:.0f} MB/s of {megabytes:.0f} MB, "
        f"CPU {cpu:.2f} s = {megabytes / cpu:.0f} MB/s, peak {peak:.0f} MiB",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="+")
    parser.add_argument("--sparkprof", default=str(ROOT / "bin" / "sparkprof"))
    parser.add_argument("--peers", help="the folder with shs.sh and rapids-tools.sh")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    sizes = {log: expanded_megabytes(options.sparkprof, log) for log in options.logs}
    for log in options.logs:
        print(log)
        command = [options.sparkprof, "show", "stages", log, "--json"]
        report("  sparkprof, one core", sizes[log], ["taskset", "-c", "0", *command], options.runs)
        report("  sparkprof", sizes[log], command, options.runs)
        for peer in ("shs.sh", "rapids-tools.sh") if options.peers else ():
            environment = dict(os.environ, RUNS=str(options.runs))
            subprocess.run(["bash", str(pathlib.Path(options.peers) / peer), os.path.abspath(log)], env=environment, check=False)
    if len(options.logs) > 1:
        print("all of them")
        command = [options.sparkprof, "show", "stages", *options.logs, "--json"]
        report("  sparkprof, one thread", sum(sizes.values()), [*command, "--parallel", "1"], options.runs)
        report("  sparkprof", sum(sizes.values()), command, options.runs)


if __name__ == "__main__":
    main()
