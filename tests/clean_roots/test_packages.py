# SPDX-License-Identifier: Apache-2.0
"""Installs, upgrades and removes the packages of `make release` in a small Debian (scripts/setup system), with dpkg and with rpm."""

import os
import pathlib
import re
import shutil
import unittest

from roots import root
from support import REPOSITORY, TestCase, execute, slow

LINUX = REPOSITORY / "packaging" / "linux"
OLD, NEW = "0.0.1", "0.0.2"
FAST = {"COMPRESSION": "gzip", "PAYLOAD": "w1.gzdio"}
UNITS = {"sparkprof-monitor.service": "sparkprof", "sparkprof.service": "sparkprof-collector"}


class Packages(TestCase):
    """A small Debian for each test, and packages of the programs in dist/ to install there."""

    def setUp(self):
        super().setUp()
        if not (REPOSITORY / "dist" / "native" / "linux-x64" / "sparkprof").exists() or not (REPOSITORY / "dist" / "notices").exists():
            raise unittest.SkipTest("dist/ has no programs: run make dist")
        self.root = self.folder / "root"
        execute("cp", "-a", "--reflink=auto", root("system", "bookworm"), self.root)

    def make(self, kind, version, compression=FAST):
        folder = self.folder / version
        folder.mkdir(exist_ok=True)
        environment = {"VERSION": version, "SOURCE_DATE_EPOCH": "1700000000", **compression}
        execute(LINUX / kind, "linux-x64", folder, env=os.environ | environment)
        return sorted(path for path in folder.iterdir() if "dbgsym" not in path.name)

    def in_root(self, *command):
        return execute("chroot", self.root, *command).stdout

    def dpkg(self, action, *packages):
        names = []
        for package in packages:
            if isinstance(package, pathlib.Path):
                shutil.copy(package, self.root / "tmp")
                package = f"/tmp/{package.name}"
            names.append(package)
        self.in_root("dpkg", action, *names)


@slow("packages are")
class PackagesTest(Packages):
    def rpm(self, *arguments):
        # The root has no RPM packages that could satisfy a dependency.
        return execute("rpm", "--root", self.root, *arguments).stdout

    def check_installed(self, units):
        self.assertRegex(self.in_root("sparkprof", "--version"), r"^sparkprof \d+\.\d+\.\d+$")
        # Where the command looks for it: beside its own folder.
        self.in_root("test", "-f", "/usr/lib/sparkprof/lib/sparkprof-spark.jar")
        for unit, package in UNITS.items():
            text = (self.root / units / unit).read_text()
            self.assertIn("$OPTIONS", text)
            self.assertNotIn("/usr/local", text)
            self.assertTrue((self.root / "usr/share/doc" / package / "sparkprof.spdx.json").exists())
        self.assertTrue((self.root / "usr/share/man/man1/sparkprof-run.1.gz").exists())
        self.assertTrue((self.root / "usr/share/bash-completion/completions/sparkprof").exists())
        self.assertIn("sparkprof:", (self.root / "etc/passwd").read_text())
        configuration = self.root / "etc/sparkprof/collector.conf"
        self.assertTrue(configuration.exists())
        with configuration.open("a") as file:
            file.write("# of the administrator\n")

    def check_upgraded(self):
        self.assertIn("# of the administrator", (self.root / "etc/sparkprof/collector.conf").read_text())

    def check_removed(self):
        for path in ("usr/bin/sparkprof", "usr/bin/sparkprof-submit", "usr/lib/sparkprof", "usr/share/doc/sparkprof"):
            self.assertFalse(os.path.lexists(self.root / path), path)
        self.assertTrue((self.root / "var/lib/sparkprof/recording").exists(), "recordings stay")

    def keep_a_recording(self):
        (self.root / "var/lib/sparkprof").mkdir(parents=True, exist_ok=True)
        (self.root / "var/lib/sparkprof/recording").touch()

    def test_debian_packages_install_upgrade_and_purge(self):
        self.dpkg("-i", *self.make("debian", OLD))
        self.check_installed("lib/systemd/system")
        self.dpkg("-i", *self.make("debian", NEW))
        self.check_upgraded()
        versions = self.in_root("dpkg-query", "-W", "-f", "${Version} ", "sparkprof", "sparkprof-collector")
        self.assertEqual(versions.split(), [f"{NEW}-1"] * 2)
        self.keep_a_recording()
        self.dpkg("-P", "sparkprof-collector", "sparkprof")
        self.check_removed()
        self.assertFalse((self.root / "etc/sparkprof").exists())

    def test_the_line_of_the_readme_installs_by_apt(self):
        [command] = re.findall(r"^ {4}(apt install \S+)", (REPOSITORY / "README.md").read_text(), re.MULTILINE)
        version = re.search(r"_(\d+\.\d+\.\d+)-1_", command)[1]
        for package in self.make("debian", version):
            shutil.copy(package, self.root / "root")
        self.in_root(
            "sh", "-c", f"cd /root && DEBIAN_FRONTEND=noninteractive {command.replace('install', 'install -y --no-install-recommends')}"
        )
        self.assertRegex(self.in_root("sparkprof", "--version"), r"^sparkprof \d+\.\d+\.\d+$")

    @unittest.skipUnless(shutil.which("lintian"), "lintian is not installed")
    def test_lintian_has_no_complaints(self):
        self.assertEqual(execute("lintian", "--allow-root", *self.make("debian", NEW)).stdout, "")

    def test_rpm_packages_require_no_zstd(self):
        for package in self.make("rpm", NEW, compression={}):
            self.assertNotIn("Zstd", self.rpm("-qp", "--requires", package))

    def test_rpm_packages_install_upgrade_and_erase(self):
        self.rpm("--initdb")
        self.rpm("-i", "--nodeps", *self.make("rpm", OLD))
        self.check_installed("usr/lib/systemd/system")
        self.rpm("-U", "--nodeps", *self.make("rpm", NEW))
        self.check_upgraded()
        self.assertEqual(self.rpm("-q", "--qf", "%{VERSION} ", "sparkprof", "sparkprof-collector").split(), [NEW] * 2)
        self.keep_a_recording()
        self.rpm("-e", "sparkprof-collector", "sparkprof")
        self.check_removed()
