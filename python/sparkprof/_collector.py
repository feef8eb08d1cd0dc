# SPDX-License-Identifier: Apache-2.0
"""Stacks, CPU and memory of this process while a function runs, collected natively: what the profiler classes are made of.

Whatever goes wrong, the function runs as it would have, and standard error says once why there is no profile.
"""

import ctypes
import os
import sys
import threading

from sparkprof import _sampler

_NANOS = 1_000_000_000
_REASON_BYTES = 1024

_lock = threading.Lock()
_library = None
_failed = False
_inside = False  # a function is being profiled: one at a time


class _Point(ctypes.Structure):
    _fields_ = [
        ("epoch_ms", ctypes.c_longlong),
        ("rss_bytes", ctypes.c_longlong),
        ("virtual_bytes", ctypes.c_longlong),
        ("page_faults", ctypes.c_longlong),
        ("cpu_percent", ctypes.c_double),
    ]


def run(function, arguments, keywords, interval, stacks, points, take):
    """The result of function(*arguments, **keywords). What was seen meanwhile is given to `take`, also when it raises:
    a dict {stack: count}, where a stack is a tuple of "file:function:line", leaf first, and a list of (pid, epoch in ms,
    RSS, virtual bytes, page faults, CPU percent). `interval` is in seconds. A function that another one which is being
    profiled calls is part of that."""
    if not _enter(interval, stacks, points):
        return function(*arguments, **keywords)
    pid = os.getpid()
    failed = True
    try:
        result = function(*arguments, **keywords)
        failed = False
        return result
    finally:
        if os.getpid() == pid:
            _leave(failed, take)


def _enter(interval, stacks, points):
    global _inside
    with _lock:
        if _inside or not _load():
            return False
        reason = ctypes.create_string_buffer(_REASON_BYTES)
        if _library.sparkprof_collect_enter(sys.hexversion, int(interval * _NANOS), stacks, points, reason, _REASON_BYTES):
            _fail(reason.value.decode("utf-8", "replace"))
            return False
        _inside = True
        return True


def _leave(end, take):
    global _inside
    with _lock:
        collected = _library.sparkprof_collect_leave(end)
        try:
            if collected:
                take(_stacks(), _points())
                _library.sparkprof_collect_clear()
        finally:
            _inside = False


def _stacks():
    stacks = {}
    count = ctypes.c_longlong()
    size = 1 << 14
    buffer = ctypes.create_string_buffer(size)
    index = 0
    while (length := _library.sparkprof_collect_stack(index, buffer, size, ctypes.byref(count))) >= 0:
        if length > size:
            size = length
            buffer = ctypes.create_string_buffer(size)
            continue
        frames = buffer.raw[: length - 1].decode("utf-8", "replace").split("\0")
        stacks[tuple(frames)] = count.value
        index += 1
    others = _library.sparkprof_collect_others()
    if others:
        stacks[OTHER_STACKS] = others
    return stacks


OTHER_STACKS = ("[other stacks]",)  # those that found no room


def _points():
    count = ctypes.c_longlong()
    points = _library.sparkprof_collect_points(ctypes.byref(count))
    pid = os.getpid()
    return [(pid, p.epoch_ms, p.rss_bytes, p.virtual_bytes, p.page_faults, round(p.cpu_percent, 1)) for p in points[: count.value]]


def _load():
    global _library
    if _library is not None or _failed:
        return not _failed
    try:
        if not sys.platform.startswith("linux"):
            raise OSError(f"no sampler for {sys.platform}")
        library = _sampler.load_library()
        number, text = ctypes.c_longlong, ctypes.c_char_p
        library.sparkprof_collect_enter.argtypes = [ctypes.c_uint, number, ctypes.c_int, ctypes.c_int, text, ctypes.c_int]
        library.sparkprof_collect_leave.argtypes = [ctypes.c_int]
        library.sparkprof_collect_leave.restype = number
        library.sparkprof_collect_stack.argtypes = [number, text, number, ctypes.POINTER(number)]
        library.sparkprof_collect_stack.restype = number
        library.sparkprof_collect_others.restype = number
        library.sparkprof_collect_points.argtypes = [ctypes.POINTER(number)]
        library.sparkprof_collect_points.restype = ctypes.POINTER(_Point)
        for name in ("clear", "suspend", "continue", "forget"):
            getattr(library, "sparkprof_collect_" + name).restype = None
    except (OSError, AttributeError) as error:
        _fail(error)
        return False
    _library = library
    # Python 3.12 and later warns when a process with more than one thread is forked.
    os.register_at_fork(
        before=library.sparkprof_collect_suspend, after_in_parent=library.sparkprof_collect_continue, after_in_child=_after_fork_in_child
    )
    return True


def _after_fork_in_child():
    global _inside, _lock
    _library.sparkprof_collect_forget()
    _inside = False
    _lock = threading.Lock()


def _fail(reason):
    global _failed
    if not _failed:
        _failed = True
        print(f"sparkprof: Python is not sampled: {reason}", file=sys.stderr, flush=True)
