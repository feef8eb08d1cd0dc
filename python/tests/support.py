# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the tests: shared data where it is, and small inputs made here."""

import contextlib
import gzip
import io
import json
import os
import pathlib
import shutil
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("SPARKPROF_SHARED_DATA") or REPOSITORY.parent / "shared" / "data") / "phil_stopwatch"


def shared(name):
    """The path of a shared file; skips the test where it is not."""
    path = SHARED / name
    if not path.exists():
        raise unittest.SkipTest(f"no shared data: {path} (set SPARKPROF_SHARED_DATA)")
    return str(path)


def golden():
    """Results of the original parsers for the shared files, by file; "#PROFILER" follows where a file has several."""
    with open(shared("golden_utc.json"), encoding="utf-8") as file:
        everything = json.load(file)
    return {name: values for name, values in everything.items() if (SHARED / name.partition("#")[0]).exists()}


def printed(function, *arguments, **options):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function(*arguments, **options)
    return out.getvalue()


def jvm_record(time, heap, young=("PS Scavenge", 1, 60_000), old=("PS MarkSweep", 0, 0), **more):
    """A CpuAndMemory record of jvm-profiler."""
    collectors = [{"name": name, "collectionCount": count, "collectionTime": millis} for name, count, millis in (old, young)]
    return json.dumps(
        {
            "epochMillis": time,
            "systemCpuLoad": 0.5,
            "processCpuLoad": 0.25,
            "nonHeapMemoryTotalUsed": 2097152.0,
            "nonHeapMemoryCommitted": 3145728.0,
            "heapMemoryTotalUsed": heap,
            "heapMemoryCommitted": 8388608.0,
            "gc": collectors,
            "name": "7@host",
            "processUuid": "u-7",
            **more,
        }
    )


def pyspark_record(time, pid, rss, cpu=50.0):
    return json.dumps({"pid": pid, "epochMillis": time, "pmem_rss": rss, "pmem_vms": 2 * rss, "cpu_percent": cpu})


class FolderTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sparkprof-python-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, *lines):
        """The path of a new file with these lines, compressed if its name ends in .gz."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = "".join(line + "\n" for line in lines).encode()
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
        return str(path)
