# SPDX-License-Identifier: Apache-2.0
"""Starts the native sampler in this process and in every process forked from it.

Nothing here may fail the job: whatever goes wrong, the process goes on without a sampler and says so once on standard
error. Nothing is ever written to standard output, which is Spark's protocol.

The folder for rings is `rings/` beside this package's folder, or SPARKPROF_RING_FOLDER. `settings.json` in it may hold
`interval_ns`, `native`, `alloc_interval_bytes`, `alloc_budget_ns` (per second), `alloc_small`, `library`, `daemon_module` and
`worker_module`.
"""

import contextlib
import ctypes
import functools
import json
import os
import pkgutil
import platform
import re
import sys
import traceback

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_LIBRARY_NAME = "libsparkprof-pysampler.so"
_PLATFORMS = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}
_DEFAULT_INTERVAL_NS = 10_000_000
_DEFAULT_ALLOC_BUDGET_NS = 2_000_000
_PROGRAM_ENDED = "the driver's program ended: "  # the findings `oom` and `failure` read it
_MAX_TRACE = 4000  # characters

_library = None
_running_pid = None
_allocations = None  # the library's functions that keep the GIL; None = allocations are not sampled
_follows_arrow = False
_waits_for_folder = False  # the folder for rings was missing when this process started
_task = None


def ring_folder():
    """The folder for rings, or None if nothing is sampled."""
    folder = os.environ.get("SPARKPROF_RING_FOLDER") or os.path.join(os.path.dirname(_PACKAGE), "rings")
    return folder if os.path.isdir(folder) else None


def settings():
    """The plugin's settings, or an empty dictionary."""
    try:
        with open(os.path.join(ring_folder() or "", "settings.json"), encoding="utf-8") as file:
            found = json.load(file)
        return found if isinstance(found, dict) else {}
    except (OSError, ValueError):
        return {}


def install():
    """Loads the library and makes every process that is forked from this one sample itself. True when it will."""
    global _library
    if _library is not None:
        return True
    if not sys.platform.startswith("linux"):
        return False
    # A folder that is named and missing was removed: it is made again.
    if ring_folder() is None and "SPARKPROF_RING_FOLDER" not in os.environ:
        return False
    try:
        _library = load_library()
    except (OSError, AttributeError) as error:
        _say(f"Python is not sampled: {error}")
        return False
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=start)
    return True


def start_program():
    """Samples this process, which is the driver's program, and no process that is forked from it."""
    global _library
    if _library is not None:
        return
    try:
        _library = load_library()
    except (OSError, AttributeError) as error:
        return _say(f"the driver's program is not sampled: {error}")
    _library.sparkprof_program()
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_forget)
    start()
    _report_end()


def _report_end():
    """Puts an exception that ends the program into the recording: Spark has no record of it."""
    report = sys.excepthook

    @functools.wraps(report)
    def excepthook(kind, value, trace):
        with contextlib.suppress(Exception):
            if issubclass(kind, Exception):
                complain("end", _PROGRAM_ENDED + _trace_of(kind, value, trace), level=0)
        report(kind, value, trace)

    sys.excepthook = excepthook


def _trace_of(kind, value, trace):
    """The traceback without the frames of a JVM, cut in its middle: its ends have the program's lines and the cause."""
    lines = "".join(traceback.format_exception(kind, value, trace)).splitlines()
    text = "\n".join(line for line in lines if not line.startswith("\t"))
    return text if len(text) <= _MAX_TRACE else f"{text[: _MAX_TRACE // 2]}\n{text[-_MAX_TRACE // 2 :]}"


def start():
    """Starts to sample this process and continues the task of its parent process."""
    global _running_pid, _waits_for_folder, _allocations, _follows_arrow
    _running_pid = _allocations = None
    _follows_arrow = False
    folder = ring_folder()
    _waits_for_folder = _library is not None and folder is None
    if _library is None or folder is None:
        return
    try:
        with open("/proc/self/stat", encoding="ascii", errors="replace") as file:
            start_ticks = int(file.read().rsplit(") ", 1)[1].split()[19])
        ring = os.path.join(folder, f"{os.getpid()}-{start_ticks}.ring")
        reason = ctypes.create_string_buffer(1024)
        chosen = settings()
        interval_ns = int(chosen.get("interval_ns") or _DEFAULT_INTERVAL_NS)
        _library.sparkprof_native(1 if chosen.get("native") else 0)
        if _library.sparkprof_start(os.fsencode(ring), sys.hexversion, interval_ns, start_ticks, reason, 1024) != 0:
            _say(f"Python is not sampled: {reason.value.decode('utf-8', 'replace')}")
            return
    except (OSError, ValueError, IndexError) as error:
        _say(f"Python is not sampled: {error}")
        return
    _running_pid = os.getpid()
    _start_allocations(chosen)
    if _task is not None:
        _library.sparkprof_task(*_task)


def _start_allocations(chosen):
    global _allocations
    try:
        interval_bytes = int(chosen.get("alloc_interval_bytes") or 0)
        if interval_bytes <= 0:
            return
        library = ctypes.PyDLL(None, handle=_library._handle)
        library.sparkprof_allocations.argtypes = [ctypes.c_longlong, ctypes.c_longlong, ctypes.c_int]
        library.sparkprof_numpy_allocations.argtypes = [ctypes.c_void_p]
        library.sparkprof_arrow.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        for function in (
            library.sparkprof_allocations,
            library.sparkprof_keep_allocations,
            library.sparkprof_numpy_allocations,
            library.sparkprof_arrow,
        ):
            function.restype = None
        budget_ns = int(chosen.get("alloc_budget_ns", _DEFAULT_ALLOC_BUDGET_NS))
        library.sparkprof_allocations(interval_bytes, budget_ns, 1 if chosen.get("alloc_small") else 0)
        _allocations = library
        follow_allocators()
    except (AttributeError, TypeError, ValueError) as error:
        complain("allocations", f"Python allocations are missing or incomplete: {error}")


def follow_allocators():
    """Finds NumPy and pyarrow when they were imported, and hooks that another tool removed."""
    if _allocations is None:
        return
    _allocations.sparkprof_keep_allocations()
    numpy = sys.modules.get("numpy")
    core = sys.modules.get("numpy._core._multiarray_umath") or sys.modules.get("numpy.core._multiarray_umath")
    version = re.match(r"(\d+)\.(\d+)", getattr(numpy, "__version__", ""))
    # Since 2.5, arrays come from Python's raw domain.
    if core is not None and version is not None and (1, 22) <= (int(version[1]), int(version[2])) < (2, 5):
        # By its name in brackets, the function is this one's own: as an attribute, the program's would change, too.
        pointer_of = ctypes.pythonapi["PyCapsule_GetPointer"]
        pointer_of.restype = ctypes.c_void_p
        pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
        _allocations.sparkprof_numpy_allocations(pointer_of(core._ARRAY_API, None))
    if not _follows_arrow and "pyarrow.lib" in sys.modules:
        _follow_arrow(sys.modules["pyarrow.lib"])


def _follow_arrow(pyarrow):
    """Finds the counter of Arrow's memory pool, which the sampler's thread can call without the GIL.

    It is a virtual function. Its place in the table of virtual functions differs by version: that in the table of
    ProxyMemoryPool, which is exported with its functions.
    """
    global _follows_arrow
    try:
        library = ctypes.CDLL(pyarrow.__file__)
        find_pool = library._ZN5arrow19default_memory_poolEv
        find_pool.restype = ctypes.c_void_p
        pool = find_pool()
        table = (ctypes.c_void_p * 16).in_dll(library, "_ZTVN5arrow15ProxyMemoryPoolE")
        of_proxy = ctypes.cast(library._ZNK5arrow15ProxyMemoryPool15bytes_allocatedEv, ctypes.c_void_p).value
        place = list(table).index(of_proxy) - 2  # an offset and the type come first
        counter = ctypes.cast(pool, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p)))[0][place]
        used = pyarrow.allocate_buffer(64)
        counts = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(counter)(pool) == pyarrow.total_allocated_bytes()
        del used
    except (OSError, AttributeError, ValueError):
        _follows_arrow = True  # not a version that can be followed
        return
    if counts:
        _follows_arrow = True
        _allocations.sparkprof_arrow(counter, pool)


def is_running():
    return _running_pid is not None


def begin_task(task, stage, partition, attempt, sql_execution=-1):
    """From now on this process works on `task`, a TID."""
    global _task
    _task = (task, stage, partition, attempt, sql_execution)
    if _running_pid is not None:
        _library.sparkprof_task(*_task)
        follow_allocators()
    elif _waits_for_folder:
        start()


def end_task():
    global _task
    if _task is not None and _running_pid is not None:
        _library.sparkprof_task(-1, -1, -1, 0, -1)
    _task = None


def add_udf(eval_type, function, file, first_line):
    """A user's function that the current task runs."""
    if _running_pid is not None:
        text = function.encode("utf-8", "replace"), file.encode("utf-8", "replace")
        _library.sparkprof_udf(eval_type, text[0], text[1], first_line)
        follow_allocators()


def load_library():
    """The native library of this package; raises OSError if there is none for this machine."""
    name = f"native/{_platform()}/{_LIBRARY_NAME}"
    places = [
        os.environ.get("SPARKPROF_PYSAMPLER"),
        settings().get("library"),
        os.path.join(_PACKAGE, _LIBRARY_NAME),
        os.path.join(_PACKAGE, name),
    ]
    path = next((place for place in places if place and os.path.exists(place)), None)
    if path is None:
        path = _unpacked(name)
    library = ctypes.CDLL(path)
    library.sparkprof_start.argtypes = [ctypes.c_char_p, ctypes.c_uint, ctypes.c_longlong, ctypes.c_longlong, ctypes.c_char_p, ctypes.c_int]
    library.sparkprof_start.restype = ctypes.c_int
    library.sparkprof_native.argtypes = [ctypes.c_int]
    library.sparkprof_task.argtypes = [ctypes.c_longlong, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_longlong]
    library.sparkprof_notice.argtypes = [ctypes.c_int, ctypes.c_char_p]
    library.sparkprof_udf.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint]
    for function in (
        library.sparkprof_native,
        library.sparkprof_program,
        library.sparkprof_task,
        library.sparkprof_udf,
        library.sparkprof_notice,
        library.sparkprof_stop,
        library.sparkprof_continue,
    ):
        function.restype = None
    return library


def _platform():
    """The name of this Python's folder in native/: linux-x64, or linux-x64-musl on Alpine."""
    name = _PLATFORMS.get(platform.machine(), platform.machine())
    try:
        has_glibc = os.confstr("CS_GNU_LIBC_VERSION")
    except (OSError, ValueError):
        has_glibc = False
    return name if has_glibc else f"{name}-musl"


def _unpacked(name):
    """A path for a file of this package where that is a zip file on Python's path, as Spark's addPyFile leaves it."""
    content = None
    with contextlib.suppress(OSError, ImportError):
        content = pkgutil.get_data(__package__, name)
    if content is None:
        raise OSError(f"no {_LIBRARY_NAME} for {platform.machine()} in {_PACKAGE}")
    file = os.memfd_create(_LIBRARY_NAME)  # stays open: the library is mapped from it
    with open(file, "wb", closefd=False) as stream:
        stream.write(content)
    return f"/proc/self/fd/{file}"


# Python 3.12 and later warns when a process with more than one thread is forked.
def _before_fork():
    if _running_pid is not None:
        _library.sparkprof_stop()


def _after_fork_in_parent():
    if _running_pid is not None:
        _library.sparkprof_continue()


def _forget():
    global _running_pid, _allocations
    _running_pid = _allocations = None


def complain(what, text, level=1):
    """Puts a warning, or at level 0 a note, into the recording, once for each `what` and all processes that share a folder for rings."""
    if _running_pid is not None and _is_first(f"complained-{what}"):
        _library.sparkprof_notice(level, text.encode("utf-8", "replace"))


def _say(text):
    if _is_first("said"):
        with contextlib.suppress(OSError):
            os.write(2, f"sparkprof: {text}\n".encode("utf-8", "replace"))


def _is_first(marker):
    """Whether no process that shares the folder for rings has asked so before; False once it was removed."""
    folder = ring_folder()
    if folder is None:
        return False
    try:
        os.close(os.open(os.path.join(folder, marker), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        return True
    except OSError:
        return False
