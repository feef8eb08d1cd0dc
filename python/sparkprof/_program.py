# SPDX-License-Identifier: Apache-2.0
"""Samples the driver's Python program from within, with native code or allocations: `sparkprof run` with --native or
--event pyalloc puts this file on PYTHONPATH as sitecustomize.py.

Until the program starts Spark, this only waits for the import of SparkContext. Then the plugin's JVM names the folder of the
sampler. Nothing here may fail the program. The sitecustomize that Python would have imported otherwise still runs.
"""

import contextlib
import functools
import importlib.machinery
import importlib.util
import os
import sys

_CONTEXTS = ("pyspark.core.context", "pyspark.context")  # since Spark 4.0; before
_ALLOCATORS = ("numpy", "pyarrow")
_FOLDER = "sparkprof.python.program"  # a system property of the JVM

_sampler = None  # the module of the last SparkContext's folder, once it samples


class _Finder:
    """Adds to what these modules do when they are imported."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in _CONTEXTS and name not in _ALLOCATORS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        execute = getattr(getattr(spec, "loader", None), "exec_module", None)
        if execute is None:
            return spec

        def exec_module(module):
            execute(module)
            # The loader of a zip file is that of all its modules.
            with contextlib.suppress(Exception):
                if module.__name__ in _CONTEXTS:
                    _follow(module.SparkContext)
                elif module.__name__ in _ALLOCATORS and _sampler is not None:
                    _sampler.follow_allocators()

        with contextlib.suppress(AttributeError):
            spec.loader.exec_module = exec_module
        return spec


def _follow(context_class):
    start = context_class._do_init
    if hasattr(start, "__wrapped__"):
        return

    @functools.wraps(start)
    def _do_init(self, *args, **kwargs):
        start(self, *args, **kwargs)
        with contextlib.suppress(Exception):
            _sample(self._jvm.java.lang.System.getProperty(_FOLDER))

    context_class._do_init = _do_init


def _sample(folder):
    global _sampler
    if not folder:
        return
    spec = importlib.util.spec_from_file_location("sparkprof_program_sampler", os.path.join(folder, "sparkprof", "_sampler.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.start_program()
    _sampler = module


def _run_next():
    own = os.path.dirname(os.path.abspath(__file__))
    others = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != own]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


if __name__ == "sitecustomize":
    sys.meta_path.insert(0, _Finder)
    _run_next()
