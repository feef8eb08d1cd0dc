#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures native frames below Python: the share of complete stacks, the functions that get the time, and the cost.

    bench/python_native.py LIBRARY [--seconds 5] [--hz 100] [--python PYTHON] [--load numpy pyarrow …]

LIBRARY is libsparkprof-pysampler.so. A process loads it as PySpark's workers do and spends its time in one library, in a
loop of a known kind; loads whose library is not installed are skipped. Prints, for each load, the share of the stacks whose
native frames are complete down to the thread's first function, and of those with a guess among them, the share of the CPU
time in stacks with a frame of the expected library, the CPU time of the sampler's thread as a share of one core, and of the
load: its rounds per second of CPU with and without native frames.
"""

import argparse
import collections
import ctypes
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

# src/cpython/ring/ring.h
HEADER_BYTES, SAMPLE, CODE, NATIVE_CODE = 4096, 2, 1, 7
DATA_BYTES = 1 << 20


def numpy_ufunc():
    import numpy

    values = numpy.random.default_rng(7).random(200_000)
    return lambda: numpy.exp(numpy.sin(values)).sum(), "numpy|_multiarray_umath|libm"


def numpy_sort():
    import numpy

    values = numpy.random.default_rng(7).random(200_000)
    return lambda: numpy.sort(values, kind="heapsort"), "_multiarray_umath"


def numpy_matmul():
    import numpy

    values = numpy.random.default_rng(7).random((300, 300))
    return lambda: values @ values, "openblas|_multiarray_umath"


def pandas_group():
    import numpy
    import pandas

    table = pandas.DataFrame({"key": numpy.arange(200_000) % 1000, "value": numpy.random.default_rng(7).random(200_000)})
    return lambda: table.groupby("key").value.median(), "pandas|groupby|algos|hashtable|_multiarray_umath|\\.so"


def pyarrow_compress():
    import pyarrow

    codec = pyarrow.Codec("zstd", compression_level=5)
    data = os.urandom(1000) * 300
    return lambda: codec.compress(data), "libarrow"


def pyarrow_group():
    import numpy
    import pyarrow

    table = pyarrow.table({"key": numpy.arange(300_000) % 1000, "value": numpy.random.default_rng(7).random(300_000)})
    return lambda: table.group_by("key").aggregate([("value", "sum")]), "libarrow|jemalloc|mimalloc"


def polars_group():
    import numpy
    import polars

    table = polars.DataFrame({"key": numpy.arange(300_000) % 1000, "value": numpy.random.default_rng(7).random(300_000)})
    return lambda: table.group_by("key").agg(polars.col("value").median()), "polars"


def torch_matmul():
    import torch

    values = torch.rand(300, 300)
    return lambda: torch.relu(values @ values), "libtorch|libgomp|libmkl"


LOADS = {
    load.__name__: load
    for load in (numpy_ufunc, numpy_sort, numpy_matmul, pandas_group, pyarrow_compress, pyarrow_group, polars_group, torch_matmul)
}


def work(library_path, ring, load, seconds, interval_ns, native):
    try:
        function, expected = LOADS[load]()
    except ImportError as error:
        print(json.dumps({"skipped": str(error)}))
        return
    function()
    library = ctypes.CDLL(library_path)
    reason = ctypes.create_string_buffer(1000)
    before = set(os.listdir("/proc/self/task"))
    library.sparkprof_native(native)
    if library.sparkprof_start(ring.encode(), sys.hexversion, ctypes.c_longlong(interval_ns), ctypes.c_longlong(7), reason, 1000) != 0:
        sys.exit(reason.value.decode())
    (sampler,) = set(os.listdir("/proc/self/task")) - before
    clock = ~int(sampler) << 3 | 4 | 2  # a thread's CPU clock, linux/posix-timers.h
    library.sparkprof_task.argtypes = [ctypes.c_longlong, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_longlong]
    library.sparkprof_task(1, 0, 0, 0, -1)
    wall_ns, cpu_ns, sampler_ns = time.monotonic_ns(), time.process_time_ns(), time.clock_gettime_ns(clock)
    rounds, end_ns = 0, wall_ns + seconds * 1e9
    while time.monotonic_ns() < end_ns:
        function()
        rounds += 1
    wall_ns, cpu_ns = time.monotonic_ns() - wall_ns, time.process_time_ns() - cpu_ns
    sampler_ns = time.clock_gettime_ns(clock) - sampler_ns
    library.sparkprof_stop()
    print(json.dumps({"wall_ns": wall_ns, "cpu_ns": cpu_ns, "sampler_ns": sampler_ns, "rounds": rounds, "expected": expected}))


def read_samples(path):
    """(stack, leaf first, and CPU time) of each sample, where native frames are <library>; the header's totals."""
    data = pathlib.Path(path).read_bytes()
    (data_bytes,) = struct.unpack_from("Q", data, 16)
    written, *totals = struct.unpack_from("7Q", data, 64)
    names, samples, at = {}, [], 0
    while at < min(written, data_bytes):
        size, kind = struct.unpack_from("IH", data, HEADER_BYTES + at)
        record = data[HEADER_BYTES + at : HEADER_BYTES + at + size]
        if kind == CODE:
            code, _, function_bytes = struct.unpack_from("IIH", record, 8)
            names[code] = record[24 : 24 + function_bytes].decode()
        elif kind == NATIVE_CODE:
            code, path_bytes, address = struct.unpack_from("IIQ", record, 8)
            path = record[24 : 24 + path_bytes].decode()
            names[code] = f"<{path.rpartition('/')[2]}+{address:x}>" if path else "[unknown]"
        elif kind == SAMPLE:
            (cpu_ns,) = struct.unpack_from("q", record, 24)
            (frames,) = struct.unpack_from("H", record, 46)
            samples.append(([names[code] for code, _ in struct.iter_unpack("II", record[48 : 48 + frames * 8])], cpu_ns))
        at += size
    return samples, dict(zip(("dropped", "torn", "unreadable", "native", "unknown", "guessed"), totals, strict=True))


def measure(load, options):
    results = {}
    for native in (0, 1):
        with tempfile.TemporaryDirectory() as folder:
            ring = f"{folder}/1.ring"
            command = [options.python, __file__, options.library, "--work", ring, "--load", load]
            command += ["--seconds", str(options.seconds), "--hz", str(options.hz), "--native", str(native)]
            result = json.loads(subprocess.check_output(command).splitlines()[-1])
            if "skipped" in result:
                print(f"{load:17} skipped: {result['skipped']}", flush=True)
                return
            samples, result["totals"] = read_samples(ring)
            result["stacks"] = collections.Counter()
            for stack, cpu_ns in samples:
                result["stacks"][tuple(reversed(stack))] += cpu_ns
            results[native] = result
    plain, result = results[0], results[1]
    stacks, totals = result["stacks"], result["totals"]
    whole_ns = sum(stacks.values())
    expected_ns = sum(cpu_ns for stack, cpu_ns in stacks.items() if re.search(result["expected"], ";".join(stack)))
    speeds = [one["rounds"] / one["wall_ns"] * 1e9 for one in (plain, result)]
    print(
        f"{load:17} {totals['native']:5} stacks, {100 * (1 - totals['unknown'] / max(1, totals['native'])):6.2f} % complete "
        f"({100 * totals['guessed'] / max(1, totals['native']):.2f} % with a guess), "
        f"{100 * expected_ns / max(1, whole_ns):5.1f} % of the time in the library, {100 * whole_ns / (result['cpu_ns'] - result['sampler_ns']):5.1f} % of "
        f"the CPU time sampled, sampler {100 * result['sampler_ns'] / result['wall_ns']:.2f} % of a core (without {100 * plain['sampler_ns'] / plain['wall_ns']:.2f}), "
        f"rounds {100 * (speeds[1] / speeds[0] - 1):+.1f} %, {totals['torn']} torn, {totals['dropped']} dropped",
        flush=True,
    )
    if options.stacks:
        for stack, cpu_ns in stacks.most_common(options.stacks):
            print(f"    {cpu_ns / 1e6:8.0f} ms {';'.join(stack)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--hz", type=int, default=100)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--load", nargs="*", default=list(LOADS), choices=list(LOADS))
    parser.add_argument("--stacks", type=int, default=0, help="print so many stacks of each load")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--native", type=int, default=1, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        interval_ns = 1_000_000_000 // options.hz
        return work(os.path.abspath(options.library), options.work, options.load[0], options.seconds, interval_ns, options.native)
    for load in options.load:
        measure(load, options)


if __name__ == "__main__":
    main()
