# SPDX-License-Identifier: Apache-2.0
"""The musllinux wheels of `make dist` in roots like Alpine's: busybox, musl, and nothing of glibc (scripts/setup musl-root)."""

import contextlib
import os
import time
import unittest
import zipfile

from roots import arm64_programs, bwrap, root
from spark_jobs import Spark
from support import CACHE, OLD_RECORDING, REPOSITORY, TestCase, execute, slow, write_file

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


# A Java 17 for musl, such as Alpine's; no registry that this project uses has one to install.
MUSL_JAVA = os.environ.get("SPARKPROF_MUSL_JAVA")
# Alpine's package zlib, which Java requires.
ZLIB = "adler32 crc32 deflate inffast inflate inftrees trees zutil compress uncompr gzclose gzlib gzread gzwrite"
OPENED = ["lang", "lang.invoke", "io", "net", "nio", "util", "util.concurrent", "util.concurrent.atomic"]
# spark-submit requires bash, which the root does not have.
SPARK_SUBMIT = """#!/bin/sh
exec /jdk/bin/java {options} -cp "/spark/jars/*:/try/sparkprof/lib/*" org.apache.spark.deploy.SparkSubmit "$@"
"""


class WheelInMusl:
    debian, processor, platform = "", "", ""
    options = ()  # for bwrap

    def setUp(self):
        super().setUp()
        wheels = list((REPOSITORY / "dist").glob(f"*musllinux_1_2_{self.processor}.whl"))
        if len(wheels) != 1:
            raise unittest.SkipTest("dist/ has no wheel for musl: run make dist")
        self.root = root("musl-root", self.debian)
        self.work = self.folder / "work"
        self.begin = time.monotonic()
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(self.work)
        (self.work / "sparkprof" / "bin" / "sparkprof").chmod(0o755)

    def programs(self):
        return contextlib.nullcontext()

    def in_root(self, script):
        command = bwrap(self.root, self.work, *self.options, PATH="/try/sparkprof/bin:/bin", HOME="/try")
        with self.programs():
            return execute(*command, "sh", "-euc", script).stdout

    def compile(self, *arguments):
        zig = [CACHE / "zig" / "bin" / "python", "-m", "ziglang", "cc", "-target", f"{self.processor}-linux-musl"]
        execute(*zig, *arguments, env=os.environ | {"ZIG_GLOBAL_CACHE_DIR": str(CACHE / "zig-cache")})

    def check_loads(self, library, *functions):
        (self.work / "load.c").write_text(LOAD)
        self.compile("-dynamic", self.work / "load.c", "-o", self.work / "load")
        self.in_root(" ".join(["/try/load", library, *functions]))

    def make_report(self):
        (self.work / "recording.sprof").write_bytes(OLD_RECORDING.read_bytes())
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
        self.assertLess(time.monotonic() - self.begin, 60)

    def test_the_jar_has_an_agent_and_a_profiler_of_the_jvm_for_musl(self):
        with zipfile.ZipFile(self.work / "sparkprof" / "lib" / "sparkprof-spark.jar") as jar:
            self.assertIn(f"native/{self.platform}-musl/sparkprof-agent", jar.namelist())
            jar.extract(f"{self.platform}/libasyncProfiler.so", self.work)
        self.check_loads(f"/try/{self.platform}/libasyncProfiler.so", "Agent_OnAttach", "asprof_execute")

    @unittest.skipUnless(MUSL_JAVA, "SPARKPROF_MUSL_JAVA names no folder with a Java 17 for musl")
    def test_a_job_is_profiled(self):
        sources = CACHE / "portable-sources" / "zlib"
        files = [sources / f"{name}.c" for name in ZLIB.split()]
        self.compile("-O2", "-shared", "-w", "-DHAVE_UNISTD_H", "-Wl,-soname,libz.so.1", *files, "-o", self.work / "libz.so.1")
        options = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in OPENED]
        internal = ("nio.ch", "nio.cs", "security.action", "util.calendar")
        options += [f"--add-opens=java.base/sun.{package}=ALL-UNNAMED" for package in internal]
        write_file(self.work / "spark-submit", SPARK_SUBMIT.format(options=" ".join(options)), 0o755)
        (self.work / "rm").symlink_to("/bin/busybox")
        (self.work / "passwd").write_text("root:x:0:0::/try:/bin/sh\n")
        self.options = ["--ro-bind", MUSL_JAVA, "/jdk", "--ro-bind", Spark().home, "/spark"]
        self.options += ["--ro-bind", self.work / "passwd", "/etc/passwd"]
        self.in_root("""
            export LD_LIBRARY_PATH=/try SPARK_HOME=/spark SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_HOSTNAME=localhost PATH=/try:$PATH
            sparkprof run --output-dir /try/run -- /try/spark-submit --master 'local[2]' --class org.sparkprof.SampleSparkApp spark-internal 3 2
            sparkprof flame /try/run/recording.sprof --event cpu -o /try/cpu.collapsed
        """)
        self.assertIn("SampleSparkApp.isPrime", (self.work / "cpu.collapsed").read_text())


@slow("arm64 is")
class Arm64MuslTest(WheelInMusl, TestCase):
    debian, processor, platform = "arm64", "aarch64", "linux-arm64"

    def programs(self):
        return arm64_programs()

    def test_a_report_under_qemu(self):
        self.make_report()
