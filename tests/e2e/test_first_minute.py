# SPDX-License-Identifier: Apache-2.0
"""The first lines of README.md for a released version, each run as it stands against a local index in place of the registry.

The line for apt is run in tests/clean_roots/test_packages.py, which has a small Debian for it.
"""

import functools
import hashlib
import http.server
import os
import pathlib
import re
import shutil
import sys
import tempfile
import threading
import unittest

from spark_jobs import Profile, Spark
from support import CACHE, REPOSITORY, SPARKPROF, TestCase, execute, slow
from test_deploy import helm

NATIVE = os.environ.get("SPARKPROF_NATIVE", str(REPOSITORY / "python" / "sparkprof" / "native"))
UVX = CACHE / "uv" / "bin" / "uvx"
JOB = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
print(spark.range(20_000_000).selectExpr("sum(id * id % 7) AS total").collect())
"""


def first_lines():
    """The commands of README.md for a released version, without comments, by their first two words."""
    block = re.search(r"^These two are for a clone.*\n\n((?: {4}.*\n)+)", (REPOSITORY / "README.md").read_text(), re.MULTILINE)
    commands = [re.sub(r" +# .*", "", line).strip() for line in block[1].splitlines()]
    return {" ".join(command.split()[:2]): command for command in commands}


def version():
    """The version that these lines name."""
    return re.search(r"sparkprof-spark:(\d+\.\d+\.\d+)", first_lines()["spark-submit --packages"])[1]


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class FirstMinuteTest(TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="sparkprof-e2e-")
        cls.addClassCleanup(folder.cleanup)
        cls.release = pathlib.Path(folder.name)
        cls.epoch = os.environ | {"SOURCE_DATE_EPOCH": "1700000000", "VERSION": version(), "FOLDER": str(cls.release)}
        project = cls.release / "simple" / "sparkprof"
        tag = f"linux_{os.uname().machine}"
        # As released, without symbols.
        command = cls.release / "sparkprof"
        execute("strip", "-o", command, SPARKPROF)
        execute(REPOSITORY / "scripts" / "dist", "wheel", command, NATIVE, tag, project, env=cls.epoch)
        [cls.wheel] = project.glob("*.whl")
        # A folder listing is what PEP 503 asks of an index.
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=cls.release))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        cls.index = f"http://127.0.0.1:{server.server_port}/simple/"

    def run_line(self, start, *first_in_path, **environment):
        """Runs the line of README.md that starts with these words, in a folder with a job.py."""
        (self.folder / "job.py").write_text(JOB)
        conf = self.folder / "conf"
        conf.mkdir(exist_ok=True)
        settings = {"spark.master": "local[2]", "spark.jars.repositories": (self.release / "maven").as_uri()}
        settings |= {"spark.jars.ivy": self.folder / "ivy", "spark.sparkprof.dir": f"file:{self.folder / 'recording'}"}
        (conf / "spark-defaults.conf").write_text("".join(f"{key} {value}\n" for key, value in settings.items()))
        environment = Spark().environment(SPARK_CONF_DIR=conf, PIP_INDEX_URL=self.index, UV_DEFAULT_INDEX=self.index, **environment)
        environment.pop("PYTHONPATH", None)
        environment["PATH"] = ":".join(map(str, [*first_in_path, environment["PATH"]]))
        return execute("bash", "-c", first_lines()[start], cwd=self.folder, env=environment)

    def check_profile(self, recording):
        self.assertGreater(sum(Profile(self.folder, recording=recording).collapsed("--event", "cpu").values()), 0)

    def test_uvx_profiles_a_job(self):
        if not UVX.exists():
            self.skipTest("uv is not set up: run scripts/setup tests")
        uv = {"UV_CACHE_DIR": self.folder / "uv", "UV_TOOL_DIR": self.folder / "tools", "UV_PYTHON": sys.executable}
        done = self.run_line("uvx sparkprof", UVX.parent, UV_PYTHON_DOWNLOADS="never", **uv)
        report = pathlib.Path(re.search(r"sparkprof: report: (.*)", done.stderr.splitlines()[-1])[1])
        self.assertTrue(report.exists(), report)
        self.check_profile(self.folder / "recording")

    def test_pip_installs_the_command_and_the_plugin(self):
        execute(sys.executable, "-m", "venv", self.folder / "venv")
        self.run_line("pip install", self.folder / "venv" / "bin")
        command = self.folder / "venv" / "bin" / "sparkprof"
        environment = {"PATH": "/usr/bin:/bin"}
        self.assertIn("sparkprof", execute(command, "--version", env=environment).stdout)
        self.assertIn("site-packages/sparkprof/lib", execute(command, "doctor", "--json", code=None, env=environment).stdout)

    def test_packages_profile_a_job(self):
        if not shutil.which("javadoc"):
            self.skipTest("no javadoc on PATH")
        execute(sys.executable, REPOSITORY / "packaging" / "maven.py", version(), CACHE / "maven", self.release, env=self.epoch)
        self.run_line("spark-submit --packages")
        self.check_profile(self.folder / "recording")

    @slow("Helm's program is")
    def test_the_chart_of_a_release_renders(self):
        execute(REPOSITORY / "scripts" / "release", "chart", env=self.epoch)
        tools = self.folder / "tools"
        tools.mkdir()
        # An installation needs a cluster: tests/k8s has one.
        (tools / "helm").write_text(f'#!/bin/sh\nshift\nexec {helm()} template "$@"\n')
        (tools / "helm").chmod(0o755)
        shutil.copy(self.release / f"sparkprof-{version()}.tgz", self.folder)
        rendered = self.run_line("helm install", tools).stdout
        self.assertRegex(rendered, rf"image: .*REGISTRY/sparkprof:{version()}")

    def release_of_a_clone(self, digest=None):
        """A clone whose commit has the release's tag, its manifest with this hash of the wheel beside it, and the environment of a demo."""
        clone, release = self.folder / "clone", self.folder / "release"
        execute("git", "clone", "--quiet", "--shared", REPOSITORY, clone)
        # A demo that compiles would take minutes: here it fails. The job is a short one.
        (clone / "examples" / "demo_job.py").write_text(JOB)
        (clone / "scripts" / "build").write_text("#!/bin/sh\necho compiling >&2\nexit 1\n")
        author = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")
        execute("git", *author, "commit", "--quiet", "--all", "--message", "Compile nothing", cwd=clone)
        execute("git", "tag", f"v{version()}", cwd=clone)
        release.mkdir()
        shutil.copy(self.wheel, release)
        digest = digest or hashlib.sha256(self.wheel.read_bytes()).hexdigest()
        manifest = release / "wheels.txt"
        manifest.write_text(f"linux-x64 {digest} https://example.invalid/{self.wheel.name}\n")
        # A cache of its own, but for PySpark.
        cache = self.folder / "cache"
        cache.mkdir()
        spark = Spark()
        (cache / spark.venv.name).symlink_to(spark.venv)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SPARKPROF_")}
        return clone, manifest, environment | {"SPARKPROF_CACHE": str(cache), "MANIFEST": str(manifest)}

    @unittest.skipUnless(os.uname().machine == "x86_64", "the manifest lists x86-64")
    @slow("The demo of a release is")
    def test_the_demo_of_a_release_compiles_nothing(self):
        clone, _, environment = self.release_of_a_clone()
        demo = execute("make", "demo", f"OUTPUT={self.folder / 'demo'}", cwd=clone, env=environment)
        self.assertEqual(demo.stdout.splitlines()[-1], f"The report: {self.folder / 'demo' / 'report.html'}")
        self.assertTrue((self.folder / "demo" / "report.html").exists())

    @unittest.skipUnless(os.uname().machine == "x86_64", "the manifest lists x86-64")
    def test_a_wheel_with_another_hash_ends_the_demo(self):
        clone, _, environment = self.release_of_a_clone(digest="0" * 64)
        demo = execute("make", "demo", cwd=clone, env=environment, code=2)
        self.assertIn(f"{self.wheel.name} is not the file that ", demo.stderr)
        self.assertNotIn("compiling", demo.stderr)

    @unittest.skipUnless(os.uname().machine == "x86_64", "the manifest lists x86-64")
    def test_a_tree_that_is_not_the_release_is_compiled(self):
        clone, manifest, environment = self.release_of_a_clone()

        def reason():
            return execute(clone / "scripts" / "prebuilt", manifest, env=environment, code=1).stderr

        (clone / "README.md").write_text("changed\n")
        self.assertIn(f"the tree differs from v{version()}", reason())
        execute("git", "tag", "--delete", f"v{version()}", cwd=clone)
        self.assertIn("is not the tag of this tree", reason())
        manifest.write_text(manifest.read_text().replace("linux-x64", "linux-arm64"))
        self.assertIn("has no wheel for linux-x64", reason())
