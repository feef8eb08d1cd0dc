# SPDX-License-Identifier: Apache-2.0
"""allocating.py PACKAGE_FOLDER: samples itself by the sparkprof package and allocates known bytes in functions.

SPARKPROF_PYSAMPLER and SPARKPROF_RING_FOLDER say where library and rings are. Prints "ready", then for each function
"NAME ALLOCATED HELD", bytes that it requested and those that it still holds, and "done". Then it waits to be killed.
"""

import gc
import os
import signal
import sys
import threading
import time

sys.path.insert(0, sys.argv[1])
from sparkprof import _sampler  # noqa: E402

TOTAL = 400 << 20

kept = []


def add_bytes():
    size, count = 10_000, TOTAL // 10_000
    for _ in range(count):
        bytes(size)
    return count * (size + 33), 0


def make_lists():
    size, count = 5_000, TOTAL // 40_000
    for _ in range(count):
        [None] * size
    return count * 8 * size, 0


def repeat_text():
    letter, count = sys.argv[0][0], TOTAL // 30_000
    for _ in range(count):
        letter * 30_000
    return count * sys.getsizeof(letter * 30_000), 0


def copy_dicts():
    whole = dict.fromkeys(range(1_000))
    count = TOTAL // sys.getsizeof(whole)
    for _ in range(count):
        whole.copy()
    return count * sys.getsizeof(whole), 0


def leak_buffers():
    size, count = 50_000, 2_000
    for _ in range(count):
        kept.append(bytearray(size))
    return count * (size + 1), count * (size + 1)


def fill_cache():
    size, count, places = 20_000, 10_000, 3_000
    cache = {}
    kept.append(cache)
    for i in range(count):
        cache[i % places] = bytes(size)
    return count * (size + 33), places * (size + 33)


def grow_buffer():
    """Each realloc counts as a new block of the full size."""
    buffer, requested = bytearray(), 0
    kept.append(buffer)
    size = 0
    while size < 20_000_000:
        before = buffer.__alloc__()
        buffer += bytes(1_000_000)
        size += 1_000_000
        if buffer.__alloc__() != before:
            requested += buffer.__alloc__()
    return requested + 20 * 1_000_033, buffer.__alloc__()


def grow_list():
    """Grows a list as grow_buffer grows a buffer."""
    numbers, requested = [], 0
    kept.append(numbers)
    header, size = sys.getsizeof(numbers), 0
    for _ in range(1_000_000):
        numbers.append(None)
        if sys.getsizeof(numbers) != size:
            size = sys.getsizeof(numbers)
            requested += size - header
    return requested, size - header


def use_generator():
    """Each of its batches is freed when the next one is there."""
    size = 0
    for batch in batches():
        size += sum(map(sys.getsizeof, batch))
    return size, 0


def batches():
    for _ in range(200):
        yield [bytes(20_000) for _ in range(100)]


def in_thread():
    thread = threading.Thread(target=hold_in_thread)
    thread.start()
    thread.join()


def hold_in_thread():
    for _ in range(1_000):
        kept.append(bytes(60_000))
    print("hold_in_thread", 1_000 * 60_033, 1_000 * 60_033, flush=True)


def in_fork():
    pid = os.fork()
    if pid == 0:
        for _ in range(2_000):
            kept.append(bytearray(40_000))
        print("in_fork", 2_000 * 40_001, 2_000 * 40_001, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)


def small_objects():
    mine = []
    kept.append(mine)
    for _ in range(200_000):
        mine.append(bytes(300))
    return 200_000 * 336, 200_000 * 336


gc.disable()
assert _sampler.install()
_sampler.start()
print("ready", flush=True)
_sampler.begin_task(7, 1, 0, 0)
for function in (
    *(add_bytes, make_lists, repeat_text, copy_dicts, leak_buffers, fill_cache, grow_buffer, grow_list, use_generator),
    small_objects,
):
    print(function.__name__, *function(), flush=True)
in_thread()
in_fork()
print("done", flush=True)
time.sleep(600)
os._exit(1)
