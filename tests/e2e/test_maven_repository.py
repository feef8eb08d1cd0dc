# SPDX-License-Identifier: Apache-2.0
"""The plugin from a Maven repository, as `spark-submit --packages` gets it, on each Spark and each Java that it runs on."""

import os
import pathlib
import shutil
import sys
import tempfile
import unittest

from spark_jobs import SPARK_VERSIONS, Profile, Spark, java_homes, submit
from support import CACHE, PEERS, REPOSITORY, TestCase, execute, report_data, sparkprof

VERSION = "1.0.0"
# By the documentation of each Spark. The first line that its version reaches counts.
JAVA_VERSIONS = (((4, 2), (17, 21, 25)), ((4, 0), (17, 21)), ((3, 3), (8, 11, 17)), ((3, 1), (8, 11)))
JAVA_ON_PATH = pathlib.Path(shutil.which("java") or "").resolve().parent.parent
JAVA_HOMES = java_homes(PEERS / "java-*", "/usr/lib/jvm/*", JAVA_ON_PATH)
SECONDS, TASKS = 3, 2


def java_versions(spark):
    """The major versions of Java that this Spark supports and this machine has."""
    version = tuple(map(int, spark.split(".")[:2]))
    supported = next(versions for oldest, versions in JAVA_VERSIONS if version >= oldest)
    return [java for java in supported if java in JAVA_HOMES and (version < (4, 0) or has_vectors(JAVA_HOMES[java]))]


def has_vectors(java_home):
    """Spark 4 asks for the module jdk.incubator.vector, which runtimes with a part of the modules may lack."""
    modules = execute(f"{java_home}/bin/java", "--list-modules")
    return "jdk.incubator.vector" in modules.stdout


class MavenRepositoryTest(TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("javadoc"):
            raise unittest.SkipTest("no javadoc on PATH")
        cls.repository = pathlib.Path(tempfile.mkdtemp(prefix="sparkprof-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.repository)
        maven = [sys.executable, REPOSITORY / "packaging" / "maven.py", VERSION, CACHE / "maven", cls.repository]
        execute(*maven, env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"})

    def test_packages_profiles_a_job_on_each_spark_and_java(self):
        for version in SPARK_VERSIONS:
            versions = java_versions(version)
            self.assertTrue(versions, f"no Java for Spark {version} on PATH or in /usr/lib/jvm; scripts/setup java installs 11 to 25")
            print(f"Spark {version} on Java {', '.join(map(str, versions))}")
            for java in versions:
                with self.subTest(spark=version, java=java):
                    self.profile(Spark(version), java)

    def profile(self, spark, java):
        recording, page = self.folder / f"{spark.version}-{java}", self.folder / f"{spark.version}-{java}.html"
        packages = ["--packages", f"io.github.sparkprof:sparkprof-spark:{VERSION}", "--repositories", f"file://{self.repository}/maven"]
        conf = {"spark.jars.ivy": f"{self.folder}/ivy", "spark.plugins": "org.sparkprof.SparkProfPlugin"}
        # There is no jar of the job's own: the class is in the package.
        command = submit(
            *("spark-internal", SECONDS, TASKS),
            master=f"local[{TASKS}]",
            options=[*packages, "--class", "org.sparkprof.SampleSparkApp"],
            conf=conf | {"spark.sparkprof.dir": f"file:{recording}"},
        )
        job = execute(*command, cwd=self.folder, env=spark.environment(JAVA_HOME=JAVA_HOMES[java]))
        self.assertIn("The sparkprof plugin is enabled.", job.stdout)
        sparkprof("report", recording, "-o", page)
        application = report_data(page)["application"]
        self.assertEqual(application["sparkVersion"], spark.version)
        self.assertEqual(application["javaVersion"].removeprefix("1.").split(".")[0], str(java))
        self.assertGreater(Profile(self.folder, recording=recording).seconds("SampleSparkApp.isPrime", "--event", "cpu"), 0)
