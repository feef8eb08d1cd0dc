# SPDX-License-Identifier: Apache-2.0
"""A Python worker with a sampler for spark.python.use.daemon=false: spark.python.worker.module=sparkprof.worker.

Runs the worker module that the user set, or PySpark's own, with the command line it was given.
"""

import runpy

from sparkprof import _hooks, _sampler


def main():
    module = _sampler.settings().get("worker_module") or "pyspark.worker"
    if _sampler.install():
        _hooks.install()
        _sampler.start()
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
