#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folding and drawing next to the tools that sparkprof replaces: wall time, CPU time, peak memory, and ratios.

    bench/profile_formats.py [--sparkprof bin/sparkprof] [--perf perf.txt] [--folded stacks.folded] [--jfr load.jfr]

The tools are those of scripts/setup peers; what it could not install is left out. Without --perf and --folded the inputs
are those of make_stacks.py; without --jfr there is no JFR. Each command runs once to warm up and then --runs times; the
median counts. Folding and drawing run on one core, as inferno is asked to; the JFR converter has all of them. The
machine should do nothing else.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time


def measure(command, runs):
    """Median wall seconds, CPU seconds and peak MiB of a command, ignoring its output."""
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


CACHE = os.environ.get("SPARKPROF_CACHE") or os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "sparkprof")
ONE_CORE = ["taskset", "-c", "0"]


def peer(*path):
    """A tool of scripts/setup peers; None where it is not."""
    tool = os.path.join(CACHE, "peers", *path)
    return tool if os.path.exists(tool) else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sparkprof", default="bin/sparkprof")
    for name in ("perf", "folded", "jfr"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    flame = [options.sparkprof, "flame"]
    with tempfile.TemporaryDirectory() as folder:
        if not options.perf or not options.folded:
            subprocess.run([pathlib.Path(__file__).with_name("make_stacks.py"), folder], check=True)
        perf, folded = options.perf or f"{folder}/perf.txt", options.folded or f"{folder}/stacks.folded"
        tool = peer("inferno", "bin", "inferno-collapse-perf")
        compare(
            "perf to collapsed",
            perf,
            [*ONE_CORE, *flame, perf, "--format", "collapsed"],
            tool and [*ONE_CORE, tool, "-n", "1", perf],
            options.runs,
        )
        tool = peer("inferno", "bin", "inferno-flamegraph")
        compare("folded to svg", folded, [*ONE_CORE, *flame, folded, "--format", "svg"], tool and [*ONE_CORE, tool, folded], options.runs)
        if options.jfr:
            jar, output = peer("jfr-converter.jar"), f"{folder}/peer.collapsed"
            compare(
                "JFR to collapsed",
                options.jfr,
                [*flame, options.jfr, "--format", "collapsed"],
                jar and ["java", "-jar", jar, "--cpu", "-o", "collapsed", options.jfr, output],
                options.runs,
            )


if __name__ == "__main__":
    main()
