# SPDX-License-Identifier: Apache-2.0
"""The musllinux wheels of `make dist` in roots like Alpine's: busybox, musl, and nothing of glibc (scripts/setup musl-root)."""

import contextlib
import os
import pathlib
import subprocess
import time
import unittest
import zipfile

from emulation import arm64_programs
from support import CACHE, DEADLINE, REPOSITORY, TestCase, slow

RECORDING = REPOSITORY / "tests" / "cases" / "recordings" / "0.1.sprof"
# Loads a library as Python's ctypes and the JVM do; the other arguments are functions that it must have.
LOAD = """
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **arguments) {
  void *library = dlopen(arguments[1], RTLD_NOW);
  if (!library) return puts(dlerror()), 1;
  for (int i = 2; i < count; i++) {
    if (!dlsym(library, arguments[i])) return puts(arguments[i]), 2;
  }
  return 0;
}
"""


class WheelInMusl:
    debian, processor, platform = "", "", ""

    def setUp(self):
        super().setUp()
        wheels = list((REPOSITORY / "dist").glob(f"*musllinux_1_2_{self.processor}.whl"))
        if len(wheels) != 1:
            raise unittest.SkipTest("dist/ has no wheel for musl: run make dist")
        done = subprocess.run(
            [REPOSITORY / "scripts" / "setup", "musl-root", self.debian], stdout=subprocess.PIPE, text=True, check=True, timeout=DEADLINE
        )
        self.root = pathlib.Path(done.stdout.strip())
        self.work = self.folder / "work"
        self.start = time.monotonic()
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(self.work)
        (self.work / "sparkprof" / "bin" / "sparkprof").chmod(0o755)

    def programs(self):
        return contextlib.nullcontext()

    def in_root(self, script):
        command = ["bwrap", "--bind", self.root, "/", "--bind", self.work, "/try", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
        command += ["--clearenv", "--setenv", "PATH", "/try/sparkprof/bin:/bin", "--setenv", "HOME", "/try", "sh", "-euc", script]
        with self.programs():
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-3000:])
        return done.stdout

    def check_loads(self, library, *functions):
        (self.work / "load.c").write_text(LOAD)
        zig = [CACHE / "zig" / "bin" / "python", "-m", "ziglang", "cc", "-target", f"{self.processor}-linux-musl", "-dynamic"]
        environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(CACHE / "zig-cache")}
        subprocess.run([*zig, self.work / "load.c", "-o", self.work / "load"], check=True, timeout=DEADLINE, env=environment)
        self.in_root(" ".join(["/try/load", library, *functions]))

    def make_report(self):
        (self.work / "recording.sprof").write_bytes(RECORDING.read_bytes())
        self.assertRegex(self.in_root("sparkprof --version"), r"^sparkprof \d+\.\d+\.\d+$")
        self.in_root("sparkprof analyze -o /try/report.html /try/recording.sprof && sparkprof flame /try/recording.sprof -o /try/flame.svg")
        self.assertGreater((self.work / "report.html").stat().st_size, 100_000)
        self.assertIn("<svg", (self.work / "flame.svg").read_text())

    def test_the_sampler_loads_into_a_program_of_musl(self):
        self.check_loads(f"/try/sparkprof/native/{self.platform}-musl/libsparkprof-pysampler.so", "sparkprof_start", "sparkprof_task")


class X64MuslTest(WheelInMusl, TestCase):
    debian, processor, platform = "amd64", "x86_64", "linux-x64"

    def test_a_report_within_a_minute_of_the_download(self):
        self.make_report()
        self.assertLess(time.monotonic() - self.start, 60)

    def test_the_jar_has_an_agent_and_a_profiler_of_the_jvm_for_musl(self):
        with zipfile.ZipFile(self.work / "sparkprof" / "lib" / "sparkprof-spark.jar") as jar:
            self.assertIn(f"native/{self.platform}-musl/sparkprof-agent", jar.namelist())
            jar.extract(f"{self.platform}/libasyncProfiler.so", self.work)
        self.check_loads(f"/try/{self.platform}/libasyncProfiler.so", "Agent_OnAttach", "asprof_execute")


@slow("arm64 is")
class Arm64MuslTest(WheelInMusl, TestCase):
    debian, processor, platform = "arm64", "aarch64", "linux-arm64"

    def programs(self):
        return arm64_programs()

    def test_a_report_under_qemu(self):
        self.make_report()


if __name__ == "__main__":
    unittest.main()
