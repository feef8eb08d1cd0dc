# SPDX-License-Identifier: Apache-2.0
"""Profiler classes for SparkContext(profiler_cls=…) with spark.python.profile=true: stacks, CPU and memory of PySpark's
workers while they run a task's function, as Phil's Stopwatch records them: the same files, the same JSON lines, to which
stacks add the interval of their samples.

The sampler is native: it neither needs the GIL nor waits for it. Memory is bounded in the worker and on the driver: of
too many records every other one goes, and stacks beyond the limit are counted together. As with any of Spark's
accumulators, the driver gets nothing of a task that fails.
"""

import contextlib
import json
import os
import sys

from pyspark.accumulators import AccumulatorParam
from pyspark.profiler import BasicProfiler

from sparkprof import _collector

INTERVAL = "profile_interval"  # seconds, in the SparkContext's environment
_DEFAULT_INTERVAL = 0.1
_MAX_STACKS = 100_000
_MAX_POINTS = 200_000
_POINT = ("pid", "epochMillis", "pmem_rss", "pmem_vms", "pmem_pfaults", "cpu_percent")


def _create(name):
    """Replaces a file by one that only its owner may read; never follows a link."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name)
    return open(name, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags | os.O_EXCL, 0o600))


class StackParam(AccumulatorParam):
    """Adds up {stack: count}."""

    def zero(self, value):
        return {}

    def addInPlace(self, value1, value2):
        for stack, count in value2.items():
            if stack not in value1:
                full = len(value1) >= _MAX_STACKS
                # Frames that many stacks share have one text.
                stack = _collector.OTHER_STACKS if full else tuple(map(sys.intern, stack))
            value1[stack] = value1.get(stack, 0) + count
        return value1


class CpuMemParam(AccumulatorParam):
    """Puts lists of records together."""

    def zero(self, value):
        return []

    def addInPlace(self, value1, value2):
        value1.extend(value2)
        if len(value1) > _MAX_POINTS:
            value1.sort()  # by worker and time
            del value1[1::2]
        return value1


class _NativeProfiler(BasicProfiler):
    _wants_stacks = False
    _wants_points = False

    def __init__(self, ctx):
        super().__init__(ctx)
        # Spark numbers RDDs and UDFs separately from 0; only the name of its method shows which one it is.
        self._prefix = "udf" if sys._getframe(1).f_code.co_name == "new_udf_profiler" else ""
        self.profile_interval = _interval(ctx)
        self._accumulator = ctx.accumulator({}, StackParam()) if self._wants_stacks else None
        self._points = ctx.accumulator([], CpuMemParam()) if self._wants_points else None

    def profile(self, func, *args, **kwargs):
        """The result of the function, sampled meanwhile."""
        return _collector.run(func, args, kwargs, self.profile_interval, self._wants_stacks, self._wants_points, self._take)

    def stats(self):
        """The data: {stack: count}, a list of records, or both as a pair, records first."""
        found = [self._records()] if self._wants_points else []
        if self._wants_stacks:
            found.append(self._accumulator.value)
        return found[0] if len(found) == 1 else tuple(found)

    def show(self, id):
        """Prints the output of dump()."""
        id = f"{self._prefix}{id}"
        for record in self._records():
            print(json.dumps(record))
        for line in self._stack_lines(id):
            print(line)

    def dump(self, id, path):
        """Writes s_ID_PID_cpumem.json for each worker and s_ID_stack.json into the folder `path`, which is made. ID is that
        of the RDD, or "udf" and that of the UDF."""
        os.makedirs(path, mode=0o700, exist_ok=True)
        id = f"{self._prefix}{id}"
        with contextlib.ExitStack() as files:
            streams = {}
            for record in self._records():
                pid = record["pid"]
                if pid not in streams:
                    name = os.path.join(path, f"s_{id}_{pid}_cpumem.json")
                    streams[pid] = files.enter_context(_create(name))
                streams[pid].write(json.dumps(record) + "\n")
        lines = self._stack_lines(id)
        if lines:
            with _create(os.path.join(path, f"s_{id}_stack.json")) as file:
                file.writelines(line + "\n" for line in lines)

    def _take(self, stacks, points):
        if self._wants_stacks:
            self._accumulator.add(stacks)
        if self._wants_points:
            self._points.add(points)

    def _records(self):
        points = sorted(self._points.value) if self._wants_points else []
        return [dict(zip(_POINT, point)) for point in points]

    def _stack_lines(self, id):
        stacks = self._accumulator.value if self._wants_stacks else {}
        return [
            json.dumps(
                {"stacktrace": stack, "count": count, "i_d": f"{id}_id", "intervalMillis": round(self.profile_interval * 1000, 3)},
                separators=(",", ":"),
            )
            for stack, count in sorted(stacks.items(), key=lambda item: (-item[1], item[0]))
        ]


class StackProfiler(_NativeProfiler):
    """The stacks of all Python threads of the workers, and how often each was seen."""

    _wants_stacks = True


class CpuMemProfiler(_NativeProfiler):
    """CPU and memory of the workers over time."""

    _wants_points = True


class CpuMemStackProfiler(_NativeProfiler):
    """Both."""

    _wants_stacks = True
    _wants_points = True


# The argument values of scripts. `customprofiler` was an example without its own sampler.
profiler_map = {
    "cpumem": CpuMemProfiler,
    "cpumemprofiler": CpuMemProfiler,
    "stack": StackProfiler,
    "stackprofiler": StackProfiler,
    "both": CpuMemStackProfiler,
    "cpumemstack": CpuMemStackProfiler,
    "cpumemstackprofiler": CpuMemStackProfiler,
    "stackcpumem": CpuMemStackProfiler,
    "stackcpumemprofiler": CpuMemStackProfiler,
    "customprofiler": BasicProfiler,
}


def _interval(ctx):
    try:
        interval = float((getattr(ctx, "environment", None) or {}).get(INTERVAL, _DEFAULT_INTERVAL))
    except (TypeError, ValueError):
        return _DEFAULT_INTERVAL
    return interval if interval > 0 else _DEFAULT_INTERVAL
