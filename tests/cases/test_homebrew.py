# SPDX-License-Identifier: Apache-2.0
"""The formula for Homebrew installs files that the tarballs have, and names them by their hash."""

import hashlib
import re
import sys

from run_case import PROGRAM
from support import REPOSITORY, TestCase, execute


class HomebrewTest(TestCase):
    def formula(self):
        for platform in ("linux-x64", "linux-arm64"):
            (self.folder / f"sparkprof-1.2.3-{platform}.tar.gz").write_text(platform)
        return execute(sys.executable, REPOSITORY / "packaging" / "homebrew.py", "1.2.3", self.folder).stdout

    def test_each_processor_has_its_tarball_and_hash(self):
        formula = self.formula()
        for platform in ("linux-x64", "linux-arm64"):
            digest = hashlib.sha256(platform.encode()).hexdigest()
            self.assertRegex(formula, rf'url "\S+/v1\.2\.3/sparkprof-1\.2\.3-{platform}\.tar\.gz"\n +sha256 "{digest}"')

    def test_manual_pages_and_completion_are_those_of_the_tarball(self):
        execute(REPOSITORY / "packaging" / "shell_files", PROGRAM, self.folder)
        patterns = re.findall(r'"(share/[^"]+)"', self.formula())
        self.assertEqual(len(patterns), 4)
        for pattern in patterns:
            self.assertTrue(list(self.folder.glob(pattern)), pattern)

    def test_the_parts_are_in_the_order_of_brew_style(self):
        parts = ["desc", "homepage", "version", "license", "depends_on :linux", "on_arm do", "on_intel do", "def install", "test do"]
        formula = self.formula()
        found = [formula.index(f"\n  {part}") for part in parts]
        self.assertEqual(found, sorted(found))

    def test_its_test_passes(self):
        formula = self.formula()
        text = re.search(r'testpath/"stacks.folded"\).write "(.*)"', formula)[1].replace("\\n", "\n")
        (self.folder / "stacks.folded").write_text(text)
        expectations = re.findall(r'assert_match "(.+)", shell_output\("#\{bin\}/sparkprof (.+)"\)', formula)
        self.assertEqual(len(expectations), 1)
        for expected, options in expectations:
            self.assertIn(expected, execute(PROGRAM, *options.split(), cwd=self.folder).stdout)
