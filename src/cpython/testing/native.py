# SPDX-License-Identifier: Apache-2.0
"""Native code below and between Python frames.

native.py SECONDS LIBRARY RING INTERVAL_NS

Spends half of SECONDS each, by the thread's own clock, in
- compress(): zlib, called by Python
- order(): the C library's qsort, which calls the Python function compare()

Meanwhile another thread waits for a lock in hold().

Prints "ready", at the end "done".
"""

import ctypes
import faulthandler
import random
import sys
import threading
import time
import zlib


def compress(data):
    zlib.compress(data, 9)


def order(numbers, compare):
    libc = ctypes.CDLL(None)
    values = (ctypes.c_int * len(numbers))(*numbers)
    libc.qsort(values, len(numbers), ctypes.sizeof(ctypes.c_int), compare)


def compare(left, right):
    return left[0] - right[0]


def hold(lock):
    lock.acquire()


def spend(seconds, function, *arguments):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        function(*arguments)


def main(seconds):
    numbers = random.Random(7).sample(range(100_000), 2000)
    data = bytes(number % 251 for number in numbers) * 100
    pointer = ctypes.POINTER(ctypes.c_int)
    kind = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer)
    lock = threading.Lock()
    lock.acquire()
    holder = threading.Thread(target=hold, args=(lock,))
    holder.start()
    spend(seconds / 2, compress, data)
    spend(seconds / 2, order, numbers, kind(compare))
    lock.release()
    holder.join()


if __name__ == "__main__":
    faulthandler.enable()
    library = ctypes.CDLL(sys.argv[2])
    reason = ctypes.create_string_buffer(1000)
    library.sparkprof_native(1)
    ring, interval_ns = sys.argv[3].encode(), ctypes.c_longlong(int(sys.argv[4]))
    if library.sparkprof_start(ring, sys.hexversion, interval_ns, ctypes.c_longlong(7), reason, len(reason)) != 0:
        sys.exit(reason.value.decode())
    print("ready", flush=True)
    main(float(sys.argv[1]))
    library.sparkprof_stop()
    print("done", flush=True)
