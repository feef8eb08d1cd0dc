# SPDX-License-Identifier: Apache-2.0
"""The systemd units of deploy/ are valid, and their services can do little besides their work."""

import shutil
import unittest

from run_case import REPOSITORY
from support import TestCase, execute, write_file

# systemd's scale of 0.0 to 10.0, times ten. The monitor reads other users' processes as root.
MOST_EXPOSURE = {"sparkprof.service": 20, "sparkprof-monitor.service": 30}


@unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
class ServicesTest(TestCase):
    def setUp(self):
        super().setUp()
        write_file(self.folder / "usr" / "local" / "bin" / "sparkprof", "", 0o755)
        self.units = self.folder / "etc" / "systemd" / "system"
        self.units.mkdir(parents=True)
        for name in MOST_EXPOSURE:
            shutil.copy(REPOSITORY / "deploy" / name, self.units)

    def analyze(self, *arguments, code=0):
        return execute("systemd-analyze", f"--root={self.folder}", *arguments, code=code)

    def test_units_are_valid(self):
        for name in MOST_EXPOSURE:
            done = self.analyze("verify", self.units / name, code=None)
            # The root has no other units and no manual pages.
            complaints = [line for line in done.stderr.splitlines() if f"/{name}:" in line]
            self.assertEqual(complaints, [], name)

    def test_services_are_confined(self):
        for name, most in MOST_EXPOSURE.items():
            self.analyze("security", "--offline=true", f"--threshold={most}", name)
