# SPDX-License-Identifier: Apache-2.0
"""The sampler's own tests on Pythons that this machine lacks: those of Debian's unstable release, CPython 3.14 and later."""

import re
import shutil

from roots import bwrap, root
from support import REPOSITORY, TestCase, execute, slow

PROGRAM = REPOSITORY / "build" / "release" / "apps" / "pysampler" / "pysampler_test"
OF_DEBIAN = re.compile(r"lib(stdc\+\+|m|gcc_s|c)\.so")


@slow("Debian's unstable release is")
class PythonsTest(TestCase):
    def test_stacks_and_allocations_of_the_newest_pythons(self):
        debian = root("root", "sid", "amd64")
        pythons = sorted(path.name for path in (debian / "usr" / "bin").glob("python3.[0-9][0-9]"))
        self.assertIn("python3.15", pythons)
        libraries = self.folder / "lib"
        libraries.mkdir()
        for name, path in re.findall(r"(\S+) => (/\S+)", execute("ldd", PROGRAM).stdout):
            if not OF_DEBIAN.match(name):
                shutil.copy(path, libraries / name)
        environment = {"PATH": "/usr/bin", "HOME": "/try", "LD_LIBRARY_PATH": "/try/lib", "LANG": "C.UTF-8"}
        command = bwrap(debian, self.folder, "--ro-bind", REPOSITORY, REPOSITORY, "--unshare-pid", "--die-with-parent", **environment)
        output = execute(*command, PROGRAM, "--gtest_filter=PySampler.*:AllocationsTest.*:NativeSampler*").stdout
        for python in pythons:
            self.assertRegex(output, rf"/usr/bin/{re.escape(python)}: \d+ samples")
