# SPDX-License-Identifier: Apache-2.0
"""A program whose results would be wrong if a signal disturbed it, sampled with native code.

native_stress.py SECONDS LIBRARY RING INTERVAL_NS

Threads burn CPU in zlib, move checked bytes through a socket, poll and sleep through the C library, start and end other
threads, fork and start processes, and receive a signal of the program's own; faulthandler is on. Prints "ready", at the end
"calls N interrupted M" of the C library's poll and nanosleep, then "done"; a wrong result ends it with another exit status.
"""

import ctypes
import errno
import faulthandler
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import zlib

DATA = bytes(i % 251 for i in range(200_000))
PACKED = zlib.compress(DATA, 6)

libc = ctypes.CDLL(None, use_errno=True)
end = 0.0
failures = []
calls = [0, 0]  # calls of the C library, interrupted calls
caught = [0]


class Poll(ctypes.Structure):
    _fields_ = [("fd", ctypes.c_int), ("events", ctypes.c_short), ("revents", ctypes.c_short)]


class Time(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


def checked(work):
    def run():
        try:
            while time.monotonic() < end and not failures:
                work()
        except BaseException as error:
            failures.append(f"{work.__name__}: {type(error).__name__}: {error}")

    return run


def burn():
    if zlib.compress(DATA, 6) != PACKED:
        raise ValueError("compressed to something else")


def move(left, right):
    sent = os.urandom(70_000)
    writer = threading.Thread(target=left.sendall, args=(sent,))
    writer.start()
    received = b""
    while len(received) < len(sent):
        received += right.recv(4096)
    writer.join()
    if received != sent:
        raise ValueError("received something else")


def wait():
    begin = time.monotonic()
    time.sleep(0.002)
    if time.monotonic() - begin < 0.002:
        raise ValueError("slept too short")
    none = Poll(-1, 0, 0)
    for function, arguments in ((libc.poll, (ctypes.byref(none), 1, 1)), (libc.nanosleep, (ctypes.byref(Time(0, 500_000)), None))):
        calls[0] += 1
        if function(*arguments) < 0:
            if ctypes.get_errno() != errno.EINTR:
                raise OSError(ctypes.get_errno(), "poll or nanosleep")
            calls[1] += 1


def churn():
    threads = [threading.Thread(target=burn) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def spawn():
    child = os.fork()
    if child == 0:
        os._exit(0 if zlib.compress(DATA, 6) == PACKED else 1)
    if os.waitpid(child, 0)[1] != 0:
        raise ValueError("a forked child failed")
    command = [sys.executable, "-c", "import zlib; print(zlib.crc32(bytes(100_000)))"]
    if int(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout) != zlib.crc32(bytes(100_000)):
        raise ValueError("a program failed")


def signalled():
    before = caught[0]
    os.kill(os.getpid(), signal.SIGUSR2)
    deadline = time.monotonic() + 10
    while caught[0] == before:
        if time.monotonic() > deadline:
            raise ValueError("a signal of the program was lost")


def on_signal(_number, _frame):
    caught[0] += 1


def main(seconds, library_path, ring, interval_ns):
    global end
    faulthandler.enable()
    signal.signal(signal.SIGUSR2, on_signal)
    library = ctypes.CDLL(library_path)
    reason = ctypes.create_string_buffer(1000)
    library.sparkprof_native(1)
    arguments = ring.encode(), sys.hexversion, ctypes.c_longlong(interval_ns), ctypes.c_longlong(7), reason, len(reason)
    if library.sparkprof_start(*arguments) != 0:
        sys.exit(reason.value.decode())
    os.register_at_fork(before=library.sparkprof_stop, after_in_parent=library.sparkprof_continue)
    left, right = socket.socketpair()
    print("ready", flush=True)
    end = time.monotonic() + seconds

    def move_bytes():
        move(left, right)

    threads = [threading.Thread(target=checked(work)) for work in (burn, move_bytes, wait, wait, churn, spawn)]
    for thread in threads:
        thread.start()
    checked(signalled)()
    for thread in threads:
        thread.join()
    library.sparkprof_stop()
    print("calls", calls[0], "interrupted", calls[1], flush=True)
    if failures:
        sys.exit("\n".join(failures))
    print("done", flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
