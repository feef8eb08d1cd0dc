# SPDX-License-Identifier: Apache-2.0
"""sparkprof in Python: the classes of Phil's Stopwatch over the native engine, the cost of
cells and blocks of code in notebooks, and the hooks for PySpark's workers.

Nothing is imported before it is asked for: PySpark's workers import this package for its daemon module alone.
"""

import importlib

__version__ = "0.1.0"

_PLACES = {
    "AppParser": "_app_parser",
    "CpuMemProfiler": "pyspark_profilers",
    "CpuMemStackProfiler": "pyspark_profilers",
    "ProfileParser": "_profile_parser",
    "SparkLogParser": "_spark_log_parser",
    "SparkprofError": "_command",
    "StackParser": "_stack_parser",
    "StackProfiler": "pyspark_profilers",
    "get_max_y": "_graph",
    "load_ipython_extension": "notebook",
    "profile": "notebook",
    "profiler_map": "pyspark_profilers",
}

__all__ = list(_PLACES)


def __getattr__(name):
    if name not in _PLACES:
        raise AttributeError(f"module 'sparkprof' has no attribute {name!r}")
    return getattr(importlib.import_module("." + _PLACES[name], __name__), name)
