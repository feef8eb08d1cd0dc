# SPDX-License-Identifier: Apache-2.0
"""forking.py PACKAGE_FOLDER: samples itself by the sparkprof package, works on task 7, and forks twice meanwhile.

SPARKPROF_PYSAMPLER and SPARKPROF_RING_FOLDER say where library and rings are. Warnings are errors: Python 3.12 and later
warns when a process with several threads is forked. Prints "PID CPU_NS" for each child and then for the parent: what its
thread has used in the task, by its own clock.
"""

import os
import resource
import sys
import time
import warnings

warnings.simplefilter("error")
sys.path.insert(0, sys.argv[1])
from sparkprof import _sampler  # noqa: E402


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def child():
    burn(0.3)
    print(os.getpid(), time.thread_time_ns(), flush=True)  # a forked thread's clock starts anew
    os._exit(0)


# A limit like spark.executor.pyspark.memory: a sampler must not use much of it.
limit = 64 << 20
with open("/proc/self/statm", encoding="ascii") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + limit, used + limit))

assert _sampler.install()
_sampler.start()
_sampler.begin_task(7, 1, 0, 0)
_sampler.add_udf(100, "burn", __file__, 20)
begin_ns = time.thread_time_ns()
burn(0.2)
for _ in range(2):
    pid = os.fork()
    if pid == 0:
        child()
    os.waitpid(pid, 0)
burn(0.2)
used_ns = time.thread_time_ns() - begin_ns
_sampler.end_task()
print(os.getpid(), used_ns, flush=True)
os._exit(0)
