# SPDX-License-Identifier: Apache-2.0
"""allocation_stress.py PACKAGE_FOLDER SECONDS: samples its allocations by the sparkprof package while it allocates from several threads and
from interpreters of their own, frees blocks of other threads, enlarges blocks, collects garbage, forks, and starts and stops tracemalloc
and faulthandler. Checks the content of its blocks; prints "ready", and at the end "done".
"""

import faulthandler
import gc
import os
import queue
import random
import sys
import threading
import time
import tracemalloc
import zlib

sys.path.insert(0, sys.argv[1])
from sparkprof import _sampler  # noqa: E402

THREADS = 3
# Below 3.12, interpreters share the GIL; from then on, they allocate at the same time.
SUBINTERPRETER = """
kept = [bytes(size) for size in range(0, 40_000, 400)]
texts = {number: str(number) * 100 for number in range(500)}
block = bytearray(b"x") * 70_000
for _ in range(20):
    block += b"y" * 5_000
    cycle = [block[:2_000]]
    cycle.append(cycle)
assert len(kept) == 100 and texts[499] == "499" * 100 and block.count(b"y") == 100_000
"""
failures = []
end = time.monotonic() + float(sys.argv[2])
blocks = queue.Queue(200)


def check(is_right):
    if not is_right:
        failures.append(sys._getframe(1).f_lineno)


def produce(seed):
    random_size = random.Random(seed)
    while time.monotonic() < end:
        size = random_size.choice((10, 100, 600, 5_000, 70_000, 1_500_000))
        block = bytearray([seed]) * size
        for _ in range(3):
            block += bytes([seed]) * 100
        blocks.put((seed, size + 300, block))
        check(zlib.decompress(zlib.compress(bytes(block[:2000]))) == bytes(block[:2000]))
    blocks.put(None)


def consume():
    ended = 0
    while ended < THREADS:
        entry = blocks.get()
        if entry is None:
            ended += 1
            continue
        seed, size, block = entry
        check(len(block) == size and block[0] == seed and block[-1] == seed and block.count(seed) == size)


def interpreters():
    """Functions that make an interpreter, run a text in it and remove it."""
    try:
        import _interpreters

        return _interpreters.create, lambda made, text: check(_interpreters.exec(made, text) is None), _interpreters.destroy
    except ImportError:
        import _xxsubinterpreters

        # Raises what the text raises.
        return _xxsubinterpreters.create, _xxsubinterpreters.run_string, _xxsubinterpreters.destroy


def use_interpreter():
    create, run, destroy = interpreters()
    made = create()
    for _ in range(5):
        run(made, SUBINTERPRETER)
    destroy(made)


def fork_once():
    pid = os.fork()
    if pid == 0:
        mine = [bytes(size) for size in range(0, 50_000, 500)]
        os._exit(0 if len(mine) == 100 else 1)
    check(os.waitpid(pid, 0)[1] == 0)


def allocate():
    kept = [str(number) * 50 for number in range(2_000)]
    check(kept[1999] == "1999" * 50)
    cycles = [[] for _ in range(2_000)]
    for number, cycle in enumerate(cycles):
        cycle.extend((cycles[number - 1], [bytes(2_000)]))


def trace(turn):
    tracemalloc.start(turn % 8 + 1)
    _sampler.begin_task(turn, 1, 0, 0)
    allocate()
    check(tracemalloc.take_snapshot().traces)
    tracemalloc.stop()
    _sampler.begin_task(turn, 1, 0, 0)


assert _sampler.install()
_sampler.start()
_sampler.begin_task(7, 1, 0, 0)
print("ready", flush=True)
threads = [threading.Thread(target=produce, args=(seed,)) for seed in range(1, THREADS + 1)]
threads.append(threading.Thread(target=consume))
for thread in threads:
    thread.start()
# One thing after another: CPython itself hangs or crashes with forks or tracemalloc beside interpreters, and from 3.12 on with
# interpreters above the allocators of PYTHONMALLOC=debug.
has_interpreters = sys.version_info < (3, 12) or os.environ.get("PYTHONMALLOC") != "debug"
rounds = 0
with open(os.devnull, "w") as nowhere:
    while time.monotonic() < end:
        rounds += 1
        faulthandler.enable(nowhere)
        trace(rounds)
        faulthandler.dump_traceback(nowhere)
        faulthandler.disable()
        fork_once()
        users = [threading.Thread(target=use_interpreter) for _ in range(2 if has_interpreters else 0)]
        for user in users:
            user.start()
        allocate()
        for user in users:
            user.join()
        gc.collect()
for thread in threads:
    thread.join()
print("done" if not failures else f"failed in lines {sorted(set(failures))}", flush=True)
os._exit(1 if failures else 0)
