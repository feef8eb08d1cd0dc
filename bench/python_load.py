# SPDX-License-Identifier: Apache-2.0
"""python_load.py SECONDS PROCESSES: forked workers that do nothing but call, recurse and generate.

`heavy`, `medium` and `light` have 70, 20 and 10 % of the work. Prints "ready" once they all work, at the end one JSON
line: work units for each second of CPU, and the shares of the three by the thread's own clock.
"""

import json
import os
import sys
import time


def leaf(n):
    return sum(i * i % 7 for i in range(n))


def recurse(n, depth):
    return leaf(n) if depth == 0 else recurse(n, depth - 1) + 1


def heavy():
    for _ in range(14):
        recurse(200, 15)


def medium():
    for _ in range(4):
        recurse(200, 15)


def light():
    for _ in range(2):
        recurse(200, 15)


def worker(seconds):
    spent, units = {}, 0
    end = time.monotonic() + seconds
    begin_ns = before_ns = time.thread_time_ns()
    while time.monotonic() < end:
        for function in (heavy, medium, light):
            function()
            now_ns = time.thread_time_ns()
            spent[function.__name__] = spent.get(function.__name__, 0) + now_ns - before_ns
            before_ns = now_ns
        units += 1
    return {"units": units, "cpu_ns": time.thread_time_ns() - begin_ns, "spent": spent}


def main():
    seconds, processes = float(sys.argv[1]), int(sys.argv[2])
    pipes = []
    for _ in range(processes):
        reader, writer = os.pipe()
        if os.fork() == 0:
            with os.fdopen(writer, "w", encoding="utf-8") as file:
                json.dump(worker(seconds), file)
            os._exit(0)
        os.close(writer)
        pipes.append(reader)
    print("ready", flush=True)
    results = []
    for reader in pipes:
        with os.fdopen(reader, encoding="utf-8") as file:
            results.append(json.load(file))
    cpu_ns = sum(result["cpu_ns"] for result in results)
    shares = {name: sum(result["spent"][name] for result in results) / cpu_ns for name in ("heavy", "medium", "light")}
    print(json.dumps({"unitsPerCpuSecond": sum(result["units"] for result in results) / cpu_ns * 1e9, "shares": shares}), flush=True)


if __name__ == "__main__":
    main()
