# SPDX-License-Identifier: Apache-2.0
"""allocation_stress.py PACKAGE_FOLDER SECONDS: samples its allocations by the sparkprof package while it allocates from several threads,
frees blocks of other threads, enlarges blocks, forks, and starts and stops tracemalloc. Checks the content of its blocks; prints "done".
"""

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


def fork_once():
    pid = os.fork()
    if pid == 0:
        mine = [bytes(size) for size in range(0, 50_000, 500)]
        os._exit(0 if len(mine) == 100 else 1)
    check(os.waitpid(pid, 0)[1] == 0)


assert _sampler.install()
_sampler.start()
_sampler.begin_task(7, 1, 0, 0)
threads = [threading.Thread(target=produce, args=(seed,)) for seed in range(1, THREADS + 1)]
threads.append(threading.Thread(target=consume))
for thread in threads:
    thread.start()
rounds = 0
while time.monotonic() < end:
    rounds += 1
    tracemalloc.start()
    _sampler.begin_task(rounds, 1, 0, 0)
    kept = [str(number) * 50 for number in range(2_000)]
    tracemalloc.stop()
    _sampler.begin_task(rounds, 1, 0, 0)
    check(kept[1999] == "1999" * 50)
    fork_once()
    gc.collect()
for thread in threads:
    thread.join()
print("done" if not failures else f"failed in lines {sorted(set(failures))}", flush=True)
os._exit(1 if failures else 0)
