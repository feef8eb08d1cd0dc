# SPDX-License-Identifier: Apache-2.0
"""The experience of a user without a compiler and -dev packages: the wheel of `make dist` in small Debians (scripts/setup root)."""

import time

from roots import arm64_programs, bwrap, root
from spark_jobs import SPARK_VERSIONS, Spark
from support import DEADLINE, OLD_RECORDING, REPOSITORY, TestCase, execute, slow

JOB = """
import sys
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType
spark = (SparkSession.builder.master("local[2]").config("spark.eventLog.enabled", "true")
         .config("spark.eventLog.dir", "file:/try/events").config("spark.ui.enabled", "false").getOrCreate())
slow = F.udf(lambda n: sum(i * i % 7 for i in range(200 + n % 3)), LongType())
print(spark.range(20000).select(slow("id")).groupBy().sum().collect())
spark.stop()
"""
BURN_PYTHON = "import time\ndef burn():\n    end = time.monotonic() + 60\n    while time.monotonic() < end: pass\nburn()\n"
BURN_JAVA = """
public class Burn {
  public static volatile double sum;
  static void burn() { for (long i = 0; i < 50_000_000L; i++) sum += Math.sqrt(i); }
  public static void main(String[] arguments) {
    long end = System.nanoTime() + 60_000_000_000L;
    while (System.nanoTime() < end) burn();
  }
}
"""
INSTALL = """
python3 -m venv /try/venv
/try/venv/bin/pip -q --disable-pip-version-check install --no-index /try/{wheel}
sparkprof --version
"""
RUN = """
mkdir -p /try/events
sparkprof run --output-dir /try/run -- python /try/job.py
sparkprof analyze -o /try/analyze.html /try/events
sparkprof flame /try/run/recording.sprof -o /try/recording.svg
"""
RUN_JAVA_8 = """
java -XshowSettings:properties -version 2>&1 | sed -n 's/.*java.runtime.version = /java /p'
sparkprof run --output-dir /try/run -- /pyspark/pyspark/bin/spark-submit --master 'local[2]' --class org.sparkprof.SampleSparkApp spark-internal 3 2 2>&1
sparkprof flame /try/run/recording.sprof --event cpu -o /try/cpu.collapsed
"""
ATTACH_PYTHON = """
python /try/burn.py & burning=$!
sparkprof attach $burning --python --duration 2s -o /try/python.collapsed
kill $burning
"""
ATTACH_JAVA = """
java -cp /try Burn & burning=$!
sleep 2
sparkprof attach $burning --event itimer --duration 2s -o /try/java.jfr
kill $burning
sparkprof flame /try/java.jfr -o /try/java.txt --format collapsed
"""


class CleanRootsTest(TestCase):
    def use_root(self, suite, architecture, spark_version, processor):
        self.root = root("root", suite, architecture)
        self.spark = Spark(spark_version).home
        wheels = list((REPOSITORY / "dist").glob(f"*manylinux_2_17_{processor}.whl"))
        self.assertEqual(len(wheels), 1, "dist/ has no wheel: run make dist")
        self.work = self.folder / f"{suite}-{spark_version}"
        self.work.mkdir()
        (self.work / wheels[0].name).write_bytes(wheels[0].read_bytes())
        (self.work / "job.py").write_text(JOB)
        (self.work / "burn.py").write_text(BURN_PYTHON)
        self.install = INSTALL.format(wheel=wheels[0].name)

    def run_in_root(self, script):
        binds = ["--ro-bind", self.spark, "/pyspark/pyspark", "--ro-bind", self.spark.parent / "py4j", "/pyspark/py4j"]
        local = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost", "LANG": "C.UTF-8"}
        environment = {"PATH": "/try/venv/bin:/usr/bin:/usr/sbin", "HOME": "/try", "PYTHONPATH": "/pyspark"} | local
        command = bwrap(self.root, self.work, *binds, "--unshare-pid", "--die-with-parent", **environment)
        return execute(*command, "bash", "-euc", script, timeout=2 * DEADLINE).stdout

    def check_run(self):
        self.assertGreater((self.work / "run" / "report.html").stat().st_size, 100_000)
        self.assertGreater((self.work / "analyze.html").stat().st_size, 100_000)
        self.assertIn("<svg", (self.work / "recording.svg").read_text())

    def compile_burning_java(self):
        (self.folder / "Burn.java").write_text(BURN_JAVA)
        execute("javac", "--release", "11", "-d", self.work, self.folder / "Burn.java")

    def check_all_verbs(self):
        self.compile_burning_java()
        self.assertRegex(self.run_in_root(self.install + RUN + ATTACH_PYTHON + ATTACH_JAVA), r"sparkprof \d+\.\d+\.\d+")
        self.check_run()
        self.assertIn("burn", (self.work / "python.collapsed").read_text())
        self.assertIn("Burn.burn", (self.work / "java.txt").read_text())

    def test_a_report_within_a_minute_of_the_download(self):
        self.use_root("bookworm", "amd64", "4.1.1", "x86_64")
        (self.work / "recording.sprof").write_bytes(OLD_RECORDING.read_bytes())
        start = time.monotonic()
        self.run_in_root(self.install + "sparkprof analyze -o /try/report.html /try/recording.sprof")
        self.assertLess(time.monotonic() - start, 60)
        self.assertGreater((self.work / "report.html").stat().st_size, 100_000)

    def test_debian_12_without_a_development_package(self):
        self.use_root("bookworm", "amd64", "4.1.1", "x86_64")
        self.check_all_verbs()

    @slow("Debian 13 is")
    def test_debian_13_with_java_21(self):
        self.use_root("trixie", "amd64", "4.3.0", "x86_64")
        self.assertIn('"21.', self.run_in_root("java -version 2>&1"))
        self.check_all_verbs()

    @slow("older Debians are")
    def test_the_oldest_glibc_that_debian_serves(self):
        self.use_root("bullseye", "amd64", "3.5.7", "x86_64")
        self.check_all_verbs()

    @slow("Debian's unstable release is")
    def test_java_8_on_each_spark_3(self):
        versions = [version for version in SPARK_VERSIONS if version.startswith("3.")]
        self.assertTrue(versions, "no Spark that runs on Java 8")
        for version in versions:
            with self.subTest(spark=version):
                self.use_root("sid", "amd64", version, "x86_64")
                output = self.run_in_root(self.install + RUN_JAVA_8)
                self.assertIn("java 1.8.0", output)
                self.assertIn("SampleSparkApp.isPrime", (self.work / "cpu.collapsed").read_text())
                # Debian's Java 8 has no debug symbols.
                self.assertIn("not sampling alloc: No AllocTracer symbols found", output)

    @slow("arm64 is")
    def test_arm64_under_qemu(self):
        # qemu's user mode cannot read another process's memory, so nothing is attached to.
        self.use_root("bookworm", "arm64", "4.1.1", "aarch64")
        with arm64_programs():
            self.run_in_root(self.install + RUN)
        self.check_run()
