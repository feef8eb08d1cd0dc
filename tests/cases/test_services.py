# SPDX-License-Identifier: Apache-2.0
"""The systemd units of deploy/ are valid, and their services can do little besides their work."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

DEPLOY = pathlib.Path(__file__).parents[2] / "deploy"
# systemd's scale of 0.0 to 10.0, times ten. The monitor reads other users' processes as root.
MOST_EXPOSURE = {"sparkprof.service": 20, "sparkprof-monitor.service": 30}


@unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
class ServicesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        command = self.root / "usr" / "local" / "bin" / "sparkprof"
        command.parent.mkdir(parents=True)
        command.write_text("")
        command.chmod(0o755)
        self.units = self.root / "etc" / "systemd" / "system"
        self.units.mkdir(parents=True)
        for name in MOST_EXPOSURE:
            shutil.copy(DEPLOY / name, self.units)

    def analyze(self, *arguments):
        return subprocess.run(["systemd-analyze", f"--root={self.root}", *arguments], capture_output=True, text=True, check=False)

    def test_units_are_valid(self):
        for name in MOST_EXPOSURE:
            done = self.analyze("verify", self.units / name)
            # The root has no other units and no manual pages.
            complaints = [line for line in done.stderr.splitlines() if f"/{name}:" in line]
            self.assertEqual(complaints, [], name)

    def test_services_are_confined(self):
        for name, most in MOST_EXPOSURE.items():
            done = self.analyze("security", "--offline=true", f"--threshold={most}", name)
            self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
