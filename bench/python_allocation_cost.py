#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of sampling Python's allocations (event pyalloc), by counted work, and in pairs.

    bench/python_allocation_cost.py LIBRARY [--python PYTHON…] [--interval 524288] [--pairs 0]

LIBRARY is libsparkprof-pysampler.so. Programs that do little but allocate run once with counters in the places that the sampler hooks:
Python's raw domain, arenas, NumPy's handler. Another process measures what a hook and a sample cost, by the CPU time of a loop of
allocations with and without the sampler. The product is the cost. Samples cost 0.2% of a core at most: then the interval doubles.
With --pairs, each program also runs in so many interleaved pairs without and with the sampler, for the mean difference of their CPU
time and its 95% confidence interval. NumPy and pandas are measured where a Python has them.
"""

import argparse
import collections
import ctypes
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from profiling_cost import mean_and_half_width

SAMPLES_BUDGET = 0.002  # share of a core; kBudgetNs in apps/pysampler/byte_sampler.cc
# Blocks larger than the interval, so few at once that it does not double.
BLOCK, BLOCKS, ROUNDS = 1 << 20, 150, 10

COUNTERS = """
#include <math.h>
#include <stddef.h>
#include <time.h>
typedef struct { void* context; void* (*malloc)(void*, size_t); void* (*calloc)(void*, size_t, size_t);
                 void* (*realloc)(void*, void*, size_t); void (*free)(void*, void*); } Allocator;
typedef struct { void* context; void* (*alloc)(void*, size_t); void (*free)(void*, void*, size_t); } Arenas;
typedef struct { char name[127]; unsigned char version; void* context; void* (*malloc)(void*, size_t);
                 void* (*calloc)(void*, size_t, size_t); void* (*realloc)(void*, void*, size_t);
                 void (*free)(void*, void*, size_t); } Numpy;
void PyMem_GetAllocator(int, Allocator*); void PyMem_SetAllocator(int, Allocator*);
void PyObject_GetArenaAllocator(Arenas*); void PyObject_SetArenaAllocator(Arenas*);
void* PyMem_RawMalloc(size_t); void PyMem_RawFree(void*);
static Allocator raw; static Arenas arenas; static Numpy numpy;
long long raw_calls, arena_calls, numpy_calls;
double samples, interval;
static void count(long long* calls, size_t bytes) { ++*calls; samples += 1 - exp(-(double)bytes / interval); }
static void* raw_malloc(void* c, size_t n) { count(&raw_calls, n); return raw.malloc(raw.context, n); }
static void* raw_calloc(void* c, size_t n, size_t s) { count(&raw_calls, n * s); return raw.calloc(raw.context, n, s); }
static void* raw_realloc(void* c, void* p, size_t n) { count(&raw_calls, n); return raw.realloc(raw.context, p, n); }
static void raw_free(void* c, void* p) { ++raw_calls; raw.free(raw.context, p); }
static void* arena_alloc(void* c, size_t n) { count(&arena_calls, n); return arenas.alloc(arenas.context, n); }
static void arena_free(void* c, void* p, size_t n) { ++arena_calls; arenas.free(arenas.context, p, n); }
static void* numpy_malloc(void* c, size_t n) { count(&numpy_calls, n); return numpy.malloc(numpy.context, n); }
static void* numpy_calloc(void* c, size_t n, size_t s) { count(&numpy_calls, n * s); return numpy.calloc(numpy.context, n, s); }
static void* numpy_realloc(void* c, void* p, size_t n) { count(&numpy_calls, n); return numpy.realloc(numpy.context, p, n); }
static void numpy_free(void* c, void* p, size_t n) { ++numpy_calls; numpy.free(numpy.context, p, n); }
void hook(double mean, Numpy* handler) {
  interval = mean;
  PyMem_GetAllocator(0, &raw);
  Allocator of_raw = {0, raw_malloc, raw_calloc, raw_realloc, raw_free};
  PyMem_SetAllocator(0, &of_raw);
  PyObject_GetArenaAllocator(&arenas);
  Arenas of_arenas = {0, arena_alloc, arena_free};
  PyObject_SetArenaAllocator(&of_arenas);
  if (!handler) return;
  numpy = *handler;
  handler->malloc = numpy_malloc; handler->calloc = numpy_calloc;
  handler->realloc = numpy_realloc; handler->free = numpy_free;
}
double loop(long count, size_t bytes) {  /* ns for an allocation and its release */
  struct timespec begin, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  for (long i = 0; i < count; ++i) {
    char* volatile block = PyMem_RawMalloc(bytes);
    block[0] = 1;
    PyMem_RawFree(block);
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return ((end.tv_sec - begin.tv_sec) * 1e9 + end.tv_nsec - begin.tv_nsec) / count;
}
"""


def parse_json():
    text = json.dumps([{"id": i, "name": f"name {i}", "values": [i, i / 3, None], "tags": {"a": str(i)}} for i in range(1_000)])
    for _ in range(300):
        json.loads(text)


def build_strings():
    for _ in range(1_500):
        ",".join([f"{i}:{i * 2}" for i in range(1_500)])


def fill_dictionaries():
    for _ in range(1_000):
        {f"k{i}": i for i in range(2_000)}


def group_tuples():
    for _ in range(300):
        groups = collections.defaultdict(list)
        for i in range(8_000):
            groups[i % 500].append((i, str(i)))


def add_arrays():
    import numpy

    for _ in range(3_000):
        (numpy.ones(100_000) * 2 + 1).sum()


def aggregate_frames():
    import pandas

    for _ in range(40):
        frame = pandas.DataFrame({"key": range(50_000), "value": 1.5})
        frame["part"] = frame["key"] % 100
        frame.groupby("part")["value"].sum()


PROGRAMS = {each.__name__: each for each in (parse_json, build_strings, fill_dictionaries, group_tuples, add_arrays, aggregate_frames)}


def numpy_handler():
    """NumPy's own, where it does not allocate in Python's raw domain; None without NumPy."""
    try:
        import numpy
    except ImportError:
        return None
    core = sys.modules.get("numpy._core._multiarray_umath") or sys.modules.get("numpy.core._multiarray_umath")
    major, minor = (int(number) for number in re.match(r"(\d+)\.(\d+)", numpy.__version__).groups())
    if not (1, 22) <= (major, minor) < (2, 5):
        return None
    pointer_of = ctypes.pythonapi["PyCapsule_GetPointer"]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer_of(core._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    capsule = ctypes.cast(table[306], ctypes.POINTER(ctypes.py_object)).contents.value
    return pointer_of(capsule, b"mem_handler")


def load_counters(path):
    counters = ctypes.PyDLL(path)
    counters.hook.argtypes = [ctypes.c_double, ctypes.c_void_p]
    counters.loop.argtypes, counters.loop.restype = [ctypes.c_long, ctypes.c_size_t], ctypes.c_double
    return counters


def costs_of(counters):
    """ns for a small allocation and its release, and for a large one; these come first, as nobody empties the ring."""
    large = []
    for _ in range(ROUNDS):
        time.sleep(0.25)
        large.append(counters.loop(BLOCKS, BLOCK))
    small = min(counters.loop(1_000_000, 600) for _ in range(5))
    return small, min(large)


def sample():
    """Samples this process as the hook of PySpark's workers does."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
    from sparkprof import _sampler

    if not _sampler.install():
        sys.exit("cannot load the sampler")
    _sampler.start()
    _sampler.begin_task(1, 0, 0, 0)


def child(options):
    """One of: count, costs, run."""
    mode, name = options.child.split(":")
    if mode == "costs":
        counters = load_counters(options.counters)
        before = costs_of(counters)
        sample()
        after = costs_of(counters)
        return print(json.dumps({"call_ns": (after[0] - before[0]) / 2, "sample_ns": after[1] - before[1]}))
    program = PROGRAMS[name]
    counters = None
    if name in ("add_arrays", "aggregate_frames"):
        __import__("numpy" if name == "add_arrays" else "pandas")
    if mode == "count":
        counters = load_counters(options.counters)
        counters.hook(options.interval, numpy_handler())
    elif mode == "sampled":
        sample()
    names = ("raw_calls", "arena_calls", "numpy_calls")
    values = {name: ctypes.c_longlong.in_dll(counters, name) for name in names} if counters else {}
    samples = ctypes.c_double.in_dll(counters, "samples") if counters else None
    begin = {name: value.value for name, value in values.items()}, samples.value if samples else 0
    cpu_ns = time.process_time_ns()
    program()
    result = {"cpu_ns": time.process_time_ns() - cpu_ns}
    for each, value in values.items():
        result[each] = value.value - begin[0][each]
    if samples:
        result["samples"] = samples.value - begin[1]
    return print(json.dumps(result))


def run(python, options, child_mode, folder):
    """The result of a child process; None if it lacks a package."""
    settings = pathlib.Path(folder) / "settings.json"
    settings.write_text(json.dumps({"alloc_interval_bytes": options.interval, "library": options.library}), encoding="utf-8")
    for ring in pathlib.Path(folder).glob("*.ring"):
        ring.unlink()
    command = [python, __file__, options.library, "--interval", options.interval, "--counters", options.counters, "--child", child_mode]
    process = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "SPARKPROF_RING_FOLDER": folder}, check=False
    )
    if "ModuleNotFoundError" in process.stderr:
        return None
    if process.returncode != 0:
        sys.exit(process.stderr)
    return json.loads(process.stdout)


def measure(python, options, folder):
    costs = [run(python, options, "costs:", folder) for _ in range(3)]
    call_ns, sample_ns = (min(cost[name] for cost in costs) for name in ("call_ns", "sample_ns"))
    print(f"\n{python}: {call_ns:.1f} ns for a call, {sample_ns / 1e3:.1f} us for a sample with its release\n")
    print("| program | CPU | raw calls | arenas | NumPy | samples | calls cost | samples cost |" + (" in pairs |" if options.pairs else ""))
    print("|---|---|---|---|---|---|---|---|" + ("---|" if options.pairs else ""))
    for name in PROGRAMS:
        counted = run(python, options, f"count:{name}", folder)
        if counted is None:
            continue
        cpu_ns = min(run(python, options, f"plain:{name}", folder)["cpu_ns"] for _ in range(2))
        calls = [counted[kind] for kind in ("raw_calls", "arena_calls", "numpy_calls")]
        of_calls = sum(calls) * call_ns / cpu_ns
        of_samples = counted["samples"] * sample_ns / cpu_ns
        row = f"| {name} | {cpu_ns / 1e9:.2f} s | " + " | ".join(f"{count:,}" for count in calls)
        row += f" | {counted['samples']:,.0f} | {of_calls:.3%} | {min(of_samples, SAMPLES_BUDGET):.3%} |"
        if options.pairs:
            differences = []
            for pair in range(options.pairs):
                modes = ("plain", "sampled") if pair % 2 == 0 else ("sampled", "plain")
                cpu = {mode: run(python, options, f"{mode}:{name}", folder)["cpu_ns"] for mode in modes}
                differences.append(cpu["sampled"] / cpu["plain"] - 1)
            mean, half = mean_and_half_width(differences)
            row += f" {mean:+.2%} ± {half:.2%} |"
        print(row, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--python", nargs="+", default=[sys.executable])
    parser.add_argument("--interval", type=int, default=512 << 10)
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--counters", default="", help=argparse.SUPPRESS)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "counters.c"
        source.write_text(COUNTERS, encoding="utf-8")
        options.counters = f"{folder}/counters.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", options.counters, source, "-lm"], check=True)
        for python in options.python:
            measure(python, options, folder)
    return None


if __name__ == "__main__":
    main()
