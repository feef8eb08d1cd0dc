# SPDX-License-Identifier: Apache-2.0
"""The musllinux wheel of `make dist` in a root like Alpine's: busybox, musl, and nothing of glibc (scripts/setup musl-root)."""

import os
import pathlib
import subprocess
import time
import unittest
import zipfile

from support import CACHE, DEADLINE, REPOSITORY, TestCase

RECORDING = REPOSITORY / "tests" / "cases" / "recordings" / "0.1.sprof"
# Loads the sampler as Python's ctypes does.
LOAD = """
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **arguments) {
  void *library = dlopen(arguments[count - 1], RTLD_NOW);
  if (!library) return puts(dlerror()), 1;
  return dlsym(library, "sparkprof_start") && dlsym(library, "sparkprof_task") ? 0 : 2;
}
"""


class MuslTest(TestCase):
    def setUp(self):
        super().setUp()
        wheels = list((REPOSITORY / "dist").glob("*musllinux_1_2_x86_64.whl"))
        if len(wheels) != 1:
            raise unittest.SkipTest("dist/ has no wheel for musl: run make dist")
        done = subprocess.run(
            [REPOSITORY / "scripts" / "setup", "musl-root"], stdout=subprocess.PIPE, text=True, check=True, timeout=DEADLINE
        )
        self.root = pathlib.Path(done.stdout.strip())
        self.work = self.folder / "work"
        self.start = time.monotonic()
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(self.work)
        (self.work / "sparkprof" / "bin" / "sparkprof").chmod(0o755)

    def in_root(self, script):
        command = ["bwrap", "--bind", self.root, "/", "--bind", self.work, "/try", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
        command += ["--clearenv", "--setenv", "PATH", "/try/sparkprof/bin:/bin", "--setenv", "HOME", "/try", "sh", "-euc", script]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-3000:])
        return done.stdout

    def test_a_report_within_a_minute_of_the_download(self):
        (self.work / "recording.sprof").write_bytes(RECORDING.read_bytes())
        self.assertRegex(self.in_root("sparkprof --version"), r"^sparkprof \d+\.\d+\.\d+$")
        self.in_root("sparkprof analyze -o /try/report.html /try/recording.sprof && sparkprof flame /try/recording.sprof -o /try/flame.svg")
        self.assertLess(time.monotonic() - self.start, 60)
        self.assertGreater((self.work / "report.html").stat().st_size, 100_000)
        self.assertIn("<svg", (self.work / "flame.svg").read_text())

    def test_the_sampler_loads_into_a_program_of_musl(self):
        (self.work / "load.c").write_text(LOAD)
        zig = [CACHE / "zig" / "bin" / "python", "-m", "ziglang", "cc", "-target", "x86_64-linux-musl", "-dynamic"]
        environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(CACHE / "zig-cache")}
        subprocess.run([*zig, self.work / "load.c", "-o", self.work / "load"], check=True, timeout=DEADLINE, env=environment)
        self.in_root("/try/load /try/sparkprof/native/linux-x64-musl/libsparkprof-pysampler.so")


if __name__ == "__main__":
    unittest.main()
