#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sampling Python processes from outside, next to py-spy and austin in one run.

    bench/python_sampling.py [--seconds 4] [--processes 2] [--runs 3] [--sparkprof bin/sparkprof] [--python PYTHON]
                             [--py-spy PATH] [--austin PATH]

The load is python_load.py: processes that do nothing but call. Each tool samples it at 100 and at 1000 Hz for the same
time, one after the other, with the load alone before them. Printed are medians: CPU time of the sampler (its start
included) as a part of one core, samples kept of those that are due (rate x time x processes), the largest error of the
shares of the load's three functions against their own clock, and what the load lost. py-spy (pip install py-spy) and
austin (github.com/P403n1x87/austin) are looked for on PATH and in ~/.cache/sparkprof-peers; one that is not there is
left out. At 1000 Hz the machine should do nothing else.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sparkprof-peers"
FUNCTIONS = ("heavy", "medium", "light")


def peer(name, *places):
    for place in (shutil.which(name), *places):
        if place and os.access(place, os.X_OK):
            return str(place)
    print(f"skipped: no {name} on PATH or in {CACHE}")
    return None


def collapsed(path):
    """[(frames, weight)] of the stacks of workers."""
    stacks = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        stack, _, weight = line.rpartition(" ")
        if "worker" in stack and not line.startswith("#"):
            stacks.append((stack, float(weight)))
    return stacks


class Sparkprof:
    name = "sparkprof"

    def __init__(self, program):
        self.program = program

    def command(self, pid, hz, seconds, output):
        return [
            self.program,
            "attach",
            pid,
            "--python",
            "--subprocesses",
            "--interval",
            f"{1_000_000 // hz}us",
            "--duration",
            f"{seconds}s",
            "--event",
            "wall",
            "-o",
            f"{output}.sprof",
        ]

    def read(self, output, processes):
        info = json.loads(subprocess.check_output([self.program, "info", "--json", f"{output}.sprof"]))
        # The parent, which waits, is sampled as often as each worker.
        count = info["samples"]["wall"]["count"] * processes / (processes + 1)
        text = pathlib.Path(f"{output}.collapsed")
        subprocess.run([self.program, "flame", f"{output}.sprof", "--event", "wall", "-o", text], check=True)
        return collapsed(text), count


class PySpy:
    def __init__(self, program, *options):
        self.program, self.options = program, options
        self.name = " ".join(("py-spy", *options))

    def command(self, pid, hz, seconds, output):
        return [self.program, "record", "-r", hz, "-f", "raw", "-d", int(seconds), "-o", output, "-p", pid, "--subprocesses", *self.options]

    def read(self, output, processes):
        stacks = collapsed(pathlib.Path(output))
        return stacks, sum(weight for _, weight in stacks)


class Austin:
    name = "austin"

    def __init__(self, program):
        self.program = program

    def command(self, pid, hz, seconds, output):
        return [self.program, "-i", f"{1_000_000 // hz}us", "-C", "-x", int(seconds), "-o", output, "-p", pid]

    def read(self, output, processes):
        stacks = collapsed(pathlib.Path(output))
        return stacks, len(stacks)


def measure(tool, hz, options, folder):
    """One run: the load's rate, sampler's CPU share, samples kept, error in points."""
    load = subprocess.Popen(
        [os.path.realpath(options.python), str(HERE / "python_load.py"), str(options.seconds + 1.5), str(options.processes)],
        stdout=subprocess.PIPE,
        text=True,
    )
    load.stdout.readline()
    cpu = kept = error = 0.0
    output = folder / "samples"
    if tool is not None:
        output.unlink(missing_ok=True)
        command = [str(part) for part in tool.command(load.pid, hz, options.seconds, output)]
        with open(folder / "log", "w+", encoding="utf-8") as log:
            sampler = subprocess.Popen(command, stdout=log, stderr=log)
            _, status, usage = os.wait4(sampler.pid, 0)
            if status != 0:
                log.seek(0)
                load.kill()
                sys.exit(f"python_sampling: {' '.join(command)} failed: {log.read()[-1000:]}")
        cpu = (usage.ru_utime + usage.ru_stime) / options.seconds
    result = json.loads(load.stdout.read())
    load.wait()
    if tool is not None:
        stacks, count = tool.read(output, options.processes)
        kept = count / (hz * options.seconds * options.processes)
        weights = {name: sum(weight for stack, weight in stacks if name in stack) for name in FUNCTIONS}
        whole = max(1, sum(weights.values()))
        error = max(abs(weights[name] / whole - result["shares"][name]) for name in FUNCTIONS)
    return result["unitsPerCpuSecond"], cpu, kept, error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--sparkprof", default=str(HERE.parent / "bin/sparkprof"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--py-spy")
    parser.add_argument("--austin")
    parser.add_argument("--hz", type=int, nargs="*", default=[100, 1000])
    options = parser.parse_args()
    tools = [Sparkprof(options.sparkprof)]
    if program := options.py_spy or peer("py-spy", CACHE / "py/bin/py-spy"):
        tools += [PySpy(program), PySpy(program, "--nonblocking")]
    if program := options.austin or peer("austin", CACHE / "austin"):
        tools.append(Austin(program))
    with tempfile.TemporaryDirectory() as folder:
        for hz in options.hz:
            runs = {tool: [] for tool in (None, *tools)}
            for _ in range(options.runs):
                for tool, results in runs.items():
                    results.append(measure(tool, hz, options, pathlib.Path(folder)))
            alone = statistics.median(rate for rate, *_ in runs[None])
            for tool in tools:
                rate, cpu, kept, error = (statistics.median(column) for column in zip(*runs[tool]))
                print(
                    f"{hz:5} Hz  {tool.name:22} {100 * cpu:6.1f} % of a core, {100 * kept:5.1f} % of samples kept, "
                    f"shares within {100 * error:4.1f} points, load {100 * (rate / alone - 1):+5.1f} % work per CPU second "
                    f"(median of {options.runs})",
                    flush=True,
                )


if __name__ == "__main__":
    main()
