#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Held and allocated memory by line: the sampler's estimates beside memray's complete trace.

    bench/python_memory_peers.py LIBRARY [--python PYTHON] [--interval 131072] [--programs NAME…]

LIBRARY is libsparkprof-pysampler.so; PYTHON has memray (pip install memray) and NumPy. Ten programs of several lines each run once under
the sampler and once under memray with --trace-python-allocators. Compared are the five lines that held most when the program held
most, and the five that allocated most, without imports and lines of small objects: each must have memray's bytes within 10% or four standard errors of the
samples, and no other line may hold more than these by more than that. Exits with 1 if one does not.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

# src/cpython/ring/ring.h
HEADER_BYTES, CODE, ALLOCATION, RELEASE = 4096, 1, 8, 9
TOP, CLOSE, ERRORS = 5, 0.1, 4
SMALL = 512  # bytes; larger requests do not reach the heap of small objects

PROGRAMS = {
    "lists": """
a = [[None] * 4_000 for _ in range(3_000)]
b = [[None] * 4_000 for _ in range(2_000)]
c = [[None] * 4_000 for _ in range(1_200)]
d = [[None] * 4_000 for _ in range(700)]
e = [[None] * 4_000 for _ in range(400)]
f = [[None] * 4_000 for _ in range(200)]
""",
    "dictionaries": """
a = [dict.fromkeys(range(3_000)) for _ in range(900)]
b = [dict.fromkeys(range(3_000)) for _ in range(500)]
c = [dict.fromkeys(range(3_000)) for _ in range(300)]
d = [dict.fromkeys(range(3_000)) for _ in range(150)]
e = [dict.fromkeys(range(3_000)) for _ in range(70)]
f = [dict.fromkeys(range(3_000)) for _ in range(30)]
""",
    "texts": """
a = [str(i) * 400 for i in range(100_000, 140_000)]
b = [str(i) * 400 for i in range(100_000, 125_000)]
c = [str(i) * 400 for i in range(100_000, 115_000)]
d = [str(i) * 400 for i in range(100_000, 108_000)]
e = [str(i) * 400 for i in range(100_000, 104_000)]
f = [str(i) * 400 for i in range(100_000, 102_000)]
""",
    "bytes_and_bytearrays": """
a = [bytes(40_000) for _ in range(2_400)]
b = [bytearray(40_000) for _ in range(1_500)]
c = [bytes(40_000) for _ in range(900)]
d = [bytearray(40_000) for _ in range(500)]
e = [bytes(40_000) for _ in range(250)]
f = [bytearray(40_000) for _ in range(100)]
""",
    "arrays": """
import numpy
a = [numpy.ones(50_000) for _ in range(300)]
b = [numpy.zeros(50_000) for _ in range(180)]
c = numpy.concatenate(a[:100])
d = [numpy.ones(50_000) for _ in range(50)]
e = numpy.arange(1_000_000)
f = e + 1
""",
    "freed": """
def work():
    for _ in range(3_000):
        a = [None] * 6_000
    for _ in range(1_800):
        b = bytes(50_000)
    for _ in range(1_000):
        c = bytearray(50_000)
    for _ in range(500):
        d = [None] * 6_000
    for _ in range(250):
        e = bytes(50_000)
    return [bytes(30_000) for _ in range(100)]
kept = work()
""",
    "cache": """
cache = {}
def load(key):
    return bytearray(20_000 + key)
def index(key):
    return [key] * 1_500
for key in range(6_000):
    cache[key % 2_000] = load(key)
    cache[key % 1_000, 1] = index(key)
copies = [bytes(cache[key]) for key in range(700)]
rest = [bytearray(20_000) for _ in range(200)]
last = [bytes(20_000) for _ in range(80)]
""",
    "generator": """
def batches():
    for number in range(300):
        yield [bytes(2_000) for _ in range(200)]
kept = []
for batch in batches():
    kept.append(b"".join(batch[:60]))
text = b"".join(kept)
parts = [text[i:i + 50_000] for i in range(0, len(text), 100_000)]
few = [bytearray(40_000) for _ in range(120)]
""",
    "threads": """
import threading
kept = []
def first():
    kept.append([bytes(30_000) for _ in range(2_000)])
def second():
    kept.append([bytearray(30_000) for _ in range(1_200)])
def third():
    kept.append([[None] * 4_000 for _ in range(700)])
threads = [threading.Thread(target=each) for each in (first, second, third)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
own = [bytes(30_000) for _ in range(350)]
few = [bytearray(30_000) for _ in range(150)]
""",
    "growing": """
a = bytearray()
for _ in range(120):
    a += bytes(200_000)
b = bytearray()
for _ in range(60):
    b += bytes(100_000)
c = {}
for i in range(200_000):
    c[i] = None
d = [bytes(30_000) for _ in range(200)]
e = set(range(100_000))
""",
}


def compare(name, ours, theirs, ignored):
    """Whether the largest lines are the same within the sampling error, as text."""
    ignored = ignored | set(theirs["ignored"])
    lines, theirs = (
        collections.Counter({line: size for line, size in each["lines"].items() if line not in ignored}) for each in (ours, theirs)
    )
    interval = ours["interval"]

    def error(line):
        return max(CLOSE * theirs[line], ERRORS * math.sqrt(interval * theirs[line]))

    top, others = ([line for line, _ in each.most_common(TOP)] for each in (lines, theirs))
    wrong = {line for line in others if abs(lines[line] - theirs[line]) > error(line)}
    wrong |= {line for line in top if others and theirs[line] + error(line) < theirs[others[-1]]}
    shares = ", ".join(f"line {line}: {lines[line] / 1e6:.1f} of {theirs[line] / 1e6:.1f} MB" for line in others)
    print(f"{name}: {'same' if not wrong else f'DIFFERENT (lines {sorted(wrong)})'}; {shares}", flush=True)
    return not wrong


def sampled(program, ring):
    """Run by a child: samples the program, and prints allocated and held bytes by line."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
    from sparkprof import _sampler

    try:
        import numpy  # noqa: F401  (its handler is hooked when a task begins)
    except ImportError:
        pass
    if not _sampler.install():
        sys.exit("cannot load the sampler")
    _sampler.start()
    _sampler.begin_task(1, 0, 0, 0)
    variables = {"__name__": "__main__"}
    exec(compile(pathlib.Path(program).read_text(encoding="utf-8"), program, "exec"), variables)
    data = next(pathlib.Path(ring).glob("*.ring")).read_bytes()
    _sampler.end_task()
    print(json.dumps(by_line(data, program)), flush=True)
    os._exit(0)


def by_line(data, program):
    (data_bytes,) = struct.unpack_from("Q", data, 16)
    written, dropped = struct.unpack_from("2Q", data, 64)
    if dropped or written > data_bytes:
        sys.exit(f"{program}: the ring is too small for this interval")
    files, calls, interval, at = {}, [], 0, 0
    while at < written:
        size, kind = struct.unpack_from("IH", data, HEADER_BYTES + at)
        record = data[HEADER_BYTES + at : HEADER_BYTES + at + size]
        if kind == CODE:
            code, _, function_bytes, file_bytes = struct.unpack_from("IIHH", record, 8)
            files[code] = record[24 + function_bytes : 24 + function_bytes + file_bytes].decode()
        elif kind == ALLOCATION:
            _, _, number, requested, weight, _, _, frames = struct.unpack_from("qqQqqiHH", record, 8)
            interval = max(interval, weight if weight > requested else 0)
            stack = list(struct.iter_unpack("II", record[56 : 56 + frames * 8]))
            calls.append((number, next((line for code, line in stack if files[code] == program), None), weight))
        elif kind == RELEASE:
            calls.append((struct.unpack_from("Q", record, 16)[0], None, None))
        at += size
    allocated = collections.Counter()
    for _, line, weight in calls:
        if line is not None:
            allocated[line] += weight
    return {"allocated": {"lines": allocated, "interval": interval}, "held": {"lines": most_held(calls), "interval": interval}}


def most_held(calls):
    """Bytes by line when most was held; `calls` are (block, line, bytes), without bytes for a release."""
    blocks, held, most, at_most = {}, 0, 0, 0
    for row, (block, _, weight) in enumerate(calls, 1):
        held += weight if weight is not None else -blocks.pop(block, 0)
        if weight is not None:
            blocks[block] = weight
        if held > most:
            most, at_most = held, row
    lines, blocks = collections.Counter(), {}
    for block, line, weight in calls[:at_most]:
        if weight is None:
            line, weight = blocks.pop(block, (None, 0))
            weight = -weight
        else:
            blocks[block] = line, weight
        if line is not None:
            lines[line] += weight
    return lines


def traced(program, records):
    """Run by a child: memray's records by line, as `sampled`."""
    import memray

    allocated, held = collections.Counter(), collections.Counter()
    reader = memray.FileReader(records)
    frees = {memray.AllocatorType.FREE, memray.AllocatorType.MUNMAP, memray.AllocatorType.PYMALLOC_FREE}

    def line_of(record):
        return next((line for _, file, line in record.stack_trace() if file == program), None)

    small = collections.Counter()
    for record in reader.get_allocation_records():
        if record.allocator in frees or (line := line_of(record)) is None:
            continue
        allocated[line] += record.size
        small[line] += record.size if record.size <= SMALL else 0
    # The sampler sees small objects as their heap grows, not those that are freed and allocated again.
    of_small = [line for line in allocated if small[line] > allocated[line] / 2]
    for record in memray.FileReader(records).get_high_watermark_allocation_records(merge_threads=True):
        if (line := line_of(record)) is not None:
            held[line] += record.size
    print(json.dumps({"allocated": {"lines": allocated, "ignored": of_small}, "held": {"lines": held, "ignored": []}}))


def lines_of(command, folder):
    process = subprocess.run(
        command, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "SPARKPROF_RING_FOLDER": folder}, check=False
    )
    if process.returncode != 0:
        sys.exit(process.stderr)
    result = json.loads(process.stdout)
    for found in result.values():
        found["lines"] = collections.Counter({int(line): size for line, size in found["lines"].items()})
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--interval", type=int, default=128 << 10)
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--sampled", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--traced", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.sampled:
        return sampled(*options.sampled)
    if options.traced:
        return traced(*options.traced)
    same = []
    for name in options.programs:
        source = PROGRAMS[name]
        with tempfile.TemporaryDirectory() as folder:
            program, records = f"{folder}/{name}.py", f"{folder}/records.bin"
            pathlib.Path(program).write_text(source, encoding="utf-8")
            imports = {number for number, line in enumerate(source.splitlines(), 1) if line.startswith("import ")}
            settings = {"alloc_interval_bytes": options.interval, "library": options.library}
            pathlib.Path(folder, "settings.json").write_text(json.dumps(settings), encoding="utf-8")
            ours = lines_of([options.python, __file__, options.library, "--sampled", program, folder], folder)
            memray = [options.python, "-m", "memray", "run", "--trace-python-allocators", "-q", "-o", records, program]
            subprocess.run(memray, check=True, capture_output=True)
            theirs = lines_of([options.python, __file__, options.library, "--traced", program, records], folder)
            for kind in ("held", "allocated"):
                same.append(compare(f"{name}, {kind}", ours[kind], theirs[kind], imports))
    print(f"{sum(same)} of {len(same)} the same")
    return 0 if all(same) else 1


if __name__ == "__main__":
    sys.exit(main())
