#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folding and drawing next to the tools that sparkprof replaces: wall time, CPU time, peak memory, and ratios.

    bench/profile_formats.py --sparkprof bin/sparkprof [--perf perf.txt] [--folded big.folded] [--jfr load.jfr]
                             [--inferno DIR with inferno-collapse-perf and inferno-flamegraph] [--jfr-converter JAR]

Each command runs once to warm up and then --runs times; the median counts. What is not given is not measured. On one core
(taskset -c 0) every tool has the same; the machine should do nothing else.
"""
import argparse
import os
import statistics
import subprocess
import time


def measure(command, runs):
    """Median wall seconds, CPU seconds and peak MiB of a command whose output is thrown away."""
    walls, cpus, peak = [], [], 0
    for run in range(runs + 1):
        before = time.monotonic()
        with open(os.devnull, "wb") as sink:
            process = subprocess.Popen(command, stdout=sink, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"{command[0]} failed: {' '.join(command)}")
        if run == 0:
            continue
        walls.append(time.monotonic() - before)
        cpus.append(usage.ru_utime + usage.ru_stime)
        peak = max(peak, usage.ru_maxrss / 1024)
    return statistics.median(walls), statistics.median(cpus), peak


def compare(label, path, ours, peer, runs):
    size = os.path.getsize(path) / 1e6
    results = []
    for name, command in (("sparkprof", ours), ("peer", peer)):
        if command is None:
            continue
        wall, cpu, peak = measure(command, runs)
        results.append((wall, cpu, peak))
        print(f"{label:22} {name:10} {wall:7.3f} s  {size / wall:7.0f} MB/s  CPU {cpu:6.3f} s  {peak:6.0f} MiB")
    if len(results) == 2:
        (wall, cpu, peak), (peer_wall, peer_cpu, peer_peak) = results
        print(f"{label:22} ratio      wall {peer_wall / wall:.1f}x, CPU {peer_cpu / cpu:.1f}x, memory 1/{peer_peak / peak:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sparkprof", default="bin/sparkprof")
    for name in ("perf", "folded", "jfr", "inferno", "jfr-converter"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    flame = [options.sparkprof, "flame"]
    tool = lambda name: os.path.join(options.inferno, name) if options.inferno else None
    if options.perf:
        peer = [tool("inferno-collapse-perf"), "-n", "1", options.perf] if options.inferno else None
        compare("perf to collapsed", options.perf, flame + [options.perf, "--format", "collapsed"], peer, options.runs)
    if options.folded:
        peer = [tool("inferno-flamegraph"), options.folded] if options.inferno else None
        compare("folded to svg", options.folded, flame + [options.folded, "--format", "svg"], peer, options.runs)
    if options.jfr:
        jar = options.jfr_converter
        peer = ["java", "-jar", jar, "--cpu", "-o", "collapsed", options.jfr, "/dev/stdout"] if jar else None
        compare("JFR to collapsed", options.jfr, flame + [options.jfr, "--format", "collapsed"], peer, options.runs)


if __name__ == "__main__":
    main()
