# SPDX-License-Identifier: Apache-2.0
"""Stacks that change as fast as they can: short frames, deep recursion, generators.

torture.py SECONDS                                   burns so much CPU
torture.py SECONDS LIBRARY RING INTERVAL_NS          the same with the sampler in it, as TIDs 100 to 103 in turn, and
                                                     from one CPU to the next, away from the sampler, which follows

Prints "ready", at the end one line "TID CPU_NS" for each task by the thread's own clock, then "done". Every stack is
...;main;process[;generate[;recurse...[;leaf[;<genexpr>]]]].
"""

import ctypes
import faulthandler
import os
import sys
import time


def leaf(n):
    return sum(i * i % 7 for i in range(n))


def recurse(depth):
    if depth == 0:
        return leaf(8)
    return recurse(depth - 1) + 1


def generate(n):
    for i in range(n):
        yield recurse(i % 25)


def process(n):
    total = 0
    for value in generate(n):
        total += value
    return total


def main(seconds, cpus=()):
    end = time.thread_time() + seconds
    rounds = 0
    while time.thread_time() < end:
        process(50)
        rounds += 1
        if cpus:
            os.sched_setaffinity(0, {cpus[rounds % len(cpus)]})


def sampled(seconds, library_path, ring, interval_ns):
    library = ctypes.CDLL(library_path)
    reason = ctypes.create_string_buffer(1000)
    if (
        library.sparkprof_start(ring.encode(), sys.hexversion, ctypes.c_longlong(interval_ns), ctypes.c_longlong(7), reason, len(reason))
        != 0
    ):
        sys.exit(reason.value.decode())
    task = library.sparkprof_task
    task.argtypes = [ctypes.c_longlong, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_longlong]
    print("ready", flush=True)
    cpus = sorted(os.sched_getaffinity(0))
    cpu_ns = {}
    for tid in range(100, 104):
        task(tid, 3, tid - 100, 0, -1)
        begin_ns = time.thread_time_ns()
        main(seconds / 4, cpus)
        cpu_ns[tid] = time.thread_time_ns() - begin_ns
    task(-1, -1, -1, 0, -1)
    library.sparkprof_stop()
    for tid, used_ns in cpu_ns.items():
        print(tid, used_ns, flush=True)


if __name__ == "__main__":
    faulthandler.enable()
    if len(sys.argv) > 2:
        sampled(float(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        print("ready", flush=True)
        main(float(sys.argv[1]))
    print("done", flush=True)
