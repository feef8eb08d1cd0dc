# SPDX-License-Identifier: Apache-2.0
"""Spark's Python daemon with a sampler in each worker: spark.python.daemon.module=sparkprof.daemon.

Runs the daemon module that the user set, or PySpark's own, with the command line it was given.
"""

import runpy
import sys

from sparkprof import _hooks, _sampler


def main():
    module = _sampler.settings().get("daemon_module") or "pyspark.daemon"
    if _sampler.install():
        # PySpark 4 names the worker module on the command line.
        named = sys.argv[1] if len(sys.argv) > 1 and sys.argv[1].startswith("pyspark") else "pyspark.worker"
        _hooks.install(named)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
