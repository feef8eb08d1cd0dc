# SPDX-License-Identifier: Apache-2.0
"""The overhead of a profile of Python's allocations by line, of sparkprof's sampler in the process and of memray, for peers.py.

Each run does the same work. The overhead is the CPU time of the program less that of a run without a profiler beside it in time; a
negative one shows that the noise of the machine is larger. sparkprof's agent, which reads the samples in a Spark job, is not in it.
"""

import statistics
import subprocess

from pyroscope_peers import finish

# About 4 s of small objects, and of buffers that go around Python's own allocator.
ALLOCATIONS = """
import ctypes, sys
profiler, profile = sys.argv[1:]
def parse(count):
    return [str(number) * 3 for number in range(count)]
def buffers(count):
    return [bytearray(100_000) for _ in range(count)]
def work():
    kept = []
    for turn in range(150):
        kept.append(buffers(100)[:2])
        parse(100_000)
if profiler == "memray":
    import memray
    with memray.Tracker(profile):
        work()
elif profiler:
    library = ctypes.CDLL(profiler)
    reason = ctypes.create_string_buffer(1000)
    # Samples of the CPU once a minute: only allocations are compared.
    if library.sparkprof_start(profile.encode(), sys.hexversion, ctypes.c_longlong(60_000_000_000), ctypes.c_longlong(7), reason, 1000) != 0:
        sys.exit(reason.value.decode())
    hooks = ctypes.PyDLL(None, handle=library._handle)
    hooks.sparkprof_allocations.restype = None
    hooks.sparkprof_allocations(ctypes.c_longlong(512 << 10), ctypes.c_longlong(2_000_000), 0)
    work()
    library.sparkprof_stop()
else:
    work()
"""


def allocation_profilers(python, library, folder, runs):
    """For sparkprof and memray the median of CPU seconds beyond those of the plain run of the same turn, and the highest peak."""
    program, profile = folder / "allocations.py", folder / "allocations.profile"
    program.write_text(ALLOCATIONS)

    def run(profiler):
        profile.unlink(missing_ok=True)
        return finish(subprocess.Popen([str(word) for word in (python, program, profiler, profile)], stdout=subprocess.DEVNULL))

    turns = [[run(profiler) for profiler in ("", library, "memray")] for _ in range(runs + 1)][1:]
    return [(statistics.median(turn[at][0] - turn[0][0] for turn in turns), max(turn[at][1] for turn in turns)) for at in (1, 2)]
