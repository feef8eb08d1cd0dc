#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU cost of the sampler inside a Python worker.

    bench/python_worker_cost.py LIBRARY [--seconds 3] [--hz 100 1000] [--busy 0] [--python PYTHON…]

LIBRARY is libsparkprof-pysampler.so. A process loads it as PySpark's workers do and works (python_load.py's functions,
which do nothing but call); its only other thread is the sampler's, so the process's CPU time less that of the working
thread is the sampler's. The stacks are read back from the ring. With faulthandler the sampler may not read memory
directly but asks the kernel to copy it. --busy starts so many other processes that compute meanwhile.
"""

import argparse
import collections
import ctypes
import faulthandler
import json
import os
import subprocess
import sys
import tempfile
import time

import python_load
from python_native import read_samples

# src/cpython/ring/ring.h


def work(library_path, ring, seconds, interval_ns):
    library = ctypes.CDLL(library_path)
    reason = ctypes.create_string_buffer(1000)
    if library.sparkprof_start(ring.encode(), sys.hexversion, ctypes.c_longlong(interval_ns), ctypes.c_longlong(7), reason, 1000) != 0:
        sys.exit(reason.value.decode())
    library.sparkprof_task.argtypes = [ctypes.c_longlong, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_longlong]
    library.sparkprof_task(1, 0, 0, 0, -1)
    process_ns, thread_ns, wall_ns = time.process_time_ns(), time.thread_time_ns(), time.monotonic_ns()
    result = python_load.worker(seconds)
    thread_ns = time.thread_time_ns() - thread_ns
    process_ns = time.process_time_ns() - process_ns
    wall_ns = time.monotonic_ns() - wall_ns
    library.sparkprof_stop()
    result.update(sampler_ns=process_ns - thread_ns, thread_ns=thread_ns, wall_ns=wall_ns)
    print(json.dumps(result))


def read_ring(path):
    """CPU time of samples by the load's function; number of samples; the ring's totals."""
    samples, totals = read_samples(path)
    weights = collections.Counter()
    for stack, cpu_ns in samples:
        weights.update(dict.fromkeys(set(stack) & {"heavy", "medium", "light"}, cpu_ns))
    return weights, len(samples), totals


def measure(python, hz, options, with_faulthandler):
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"], stdout=subprocess.DEVNULL) for _ in range(options.busy)]
    with tempfile.TemporaryDirectory() as folder:
        ring = f"{folder}/1.ring"
        command = [python, *(["-X", "faulthandler"] if with_faulthandler else []), __file__, options.library]
        command += ["--work", ring, "--seconds", str(options.seconds), "--hz", str(hz)]
        try:
            result = json.loads(subprocess.check_output(command))
        finally:
            for process in busy:
                process.kill()
                process.wait()
        weights, samples, totals = read_ring(ring)
    cpu_ns = sum(result["spent"].values())
    whole = max(1, sum(weights.values()))
    error = max(abs(weights[name] / whole - spent / cpu_ns) for name, spent in result["spent"].items())
    due = hz * result["wall_ns"] / 1e9
    version = subprocess.check_output([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], text=True).strip()
    print(
        f"Python {version:5} {hz:5} Hz{' faulthandler' if with_faulthandler else '':13} sampler {100 * result['sampler_ns'] / result['thread_ns']:5.2f} % "
        f"of the worker's CPU ({result['sampler_ns'] / max(1, samples) / 1000:5.1f} us a sample), {100 * samples / due:5.1f} % of samples kept "
        f"({totals['torn']} torn, {totals['unreadable']} unreadable, {totals['dropped']} dropped), shares within {100 * error:.1f} points, "
        f"{result['units'] / result['cpu_ns'] * 1e9:.0f} units per CPU second",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--hz", type=int, nargs="*", default=[100, 1000])
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--python", nargs="*", default=[sys.executable])
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(os.path.abspath(options.library), options.work, options.seconds, 1_000_000_000 // options.hz[0])
    if faulthandler.is_enabled():
        faulthandler.disable()
    for python in options.python:
        for hz in options.hz:
            for with_faulthandler in (False, True):
                measure(python, hz, options, with_faulthandler)


if __name__ == "__main__":
    main()
