# SPDX-License-Identifier: Apache-2.0
"""Recordings of every recorder that writes JFR (the JDK 11 to 25, async-profiler 2.9 to 4.5) on every JDK, read as the
JDK's own API reads them. scripts/setup peers installs the runtimes and the older profilers; make test-all does."""

import contextlib
import os
import pathlib
import platform
import shutil
import tempfile
import unittest

from support import PEERS, REPOSITORY, SPARKPROF, execute, slow, stacks_of

TESTING = REPOSITORY / "src" / "formats" / "jfr" / "testing"

# The JFR events behind each event of sparkprof. An allocation that TLAB events report is left out of the samples.
TYPES = {
    "cpu": ["jdk.ExecutionSample"],
    "cpu-time": ["jdk.CPUTimeSample"],
    "wall": ["jdk.NativeMethodSample", "profiler.WallClockSample"],
    "alloc": ["jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB"],
    "live": ["profiler.LiveObject"],
    "lock": ["jdk.JavaMonitorEnter", "jdk.ThreadPark"],
    "nativelock": ["profiler.NativeLock"],
    "malloc": ["profiler.Malloc"],
    "free": ["profiler.Free"],
    "method": ["jdk.MethodTrace"],
}
IN_BYTES = ("alloc", "live")
IN_TIME = ("lock", "nativelock")
JDK_OPTIONS = {  # by the first JDK that has them
    11: "settings=profile",
    17: "jdk.ObjectAllocationInNewTLAB#enabled=true,jdk.ObjectAllocationOutsideTLAB#enabled=true",
    25: "jdk.CPUTimeSample#enabled=true",
}
PROFILER_OPTIONS = {  # by the first async-profiler that has them
    2: "event=ctimer,interval=5ms,alloc=64k,live,lock=100us",
    4: "wall=20ms,nativemem=1k,nativelock=100us,trace=Work.contend",
}


def run(*command):
    return execute(*command).stdout


def up_to(options, version, separator=","):
    return separator.join(text for first, text in options.items() if first <= version)


@slow("recorders of other versions are")
class JfrRecordersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runtimes = {int(path.name.split("-")[1]): path / "bin" / "java" for path in sorted(PEERS.glob("java-*"))}
        if not cls.runtimes or not shutil.which("javac"):
            raise unittest.SkipTest("no java-*: run scripts/setup peers; or no javac on PATH")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        run("javac", "--release", "11", "-d", cls.folder, TESTING / "Work.java", TESTING / "Sums.java")

    def profilers(self):
        machine = "arm64" if platform.machine() == "aarch64" else "x64"
        for library in sorted(PEERS.glob(f"async-profiler-*/linux-{machine}/libasyncProfiler.so")):
            yield library.parents[1].name.removeprefix("async-profiler-"), library
        if current := os.environ.get("SPARKPROF_ASYNC_PROFILER"):
            yield "4.5", current

    def sums(self, recording):
        """Count and weight of each type, by the newest JDK's API."""
        found = {}
        for line in run(self.runtimes[max(self.runtimes)], "-cp", self.folder, "Sums", recording).splitlines():
            name, count, weight = line.split()
            found[name] = (int(count), int(weight))
        return found

    def ours(self, recording, event, *options):
        return sum(stacks_of(run(SPARKPROF, "flame", recording, "--event", event, "--format", "collapsed", *options)).values())

    def compare(self, recording):
        """The events of the recording that the JDK's API sees; each must be the same in sparkprof."""
        theirs, compared = self.sums(recording), set()
        for event, types in TYPES.items():
            types = [name for name in types if name in theirs]
            if event == "alloc" and not types:
                types = ["jdk.ObjectAllocationSample"]
            count = sum(theirs[name][0] for name in types if name in theirs)
            if count == 0:
                continue
            compared.add(event)
            # A record of wall-clock samples stands for several.
            records = sum(theirs[name][1 if name == "profiler.WallClockSample" else 0] for name in types if name in theirs)
            self.assertEqual(self.ours(recording, event, "--counts"), records, event)
            weight = sum(theirs[name][1] for name in types if name in theirs)
            if event in IN_BYTES:
                self.assertEqual(self.ours(recording, event), weight, event)
            elif event in IN_TIME:  # ticks become ns, rounded for each record
                self.assertAlmostEqual(self.ours(recording, event), weight, delta=count, msg=event)
        self.assertLessEqual({"cpu", "alloc"}, compared)
        return compared

    @contextlib.contextmanager
    def recording(self, name):
        path = self.folder / f"{name}.jfr"
        yield path
        path.unlink()

    def test_the_recorders_of_the_jdks(self):
        compared = set()
        for version, java in self.runtimes.items():
            with self.subTest(jdk=version), self.recording(f"jdk-{version}") as path:
                run(java, f"-XX:StartFlightRecording={up_to(JDK_OPTIONS, version)},filename={path}", "-cp", self.folder, "Work")
                compared |= self.compare(path)
        self.assertLessEqual({"cpu-time", "lock"}, compared)

    def test_async_profilers_on_the_jdks(self):
        compared = set()
        for (name, library), (version, java) in ((p, r) for p in self.profilers() for r in self.runtimes.items()):
            if version > 21 and name.startswith(("2", "3", "4.0")):
                continue  # older than that JDK: it crashes there
            options = up_to(PROFILER_OPTIONS, int(name.split(".")[0]))
            if name.startswith(("2", "3")):
                options = options.replace("ctimer", "itimer")
            with self.subTest(profiler=name, jdk=version), self.recording(f"{name}-{version}") as path:
                run(java, f"-agentpath:{library}=start,{options},jfr,file={path}", "-cp", self.folder, "Work")
                compared |= self.compare(path)
        self.assertEqual(compared, TYPES.keys() - {"cpu-time"})
