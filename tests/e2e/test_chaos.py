# SPDX-License-Identifier: Apache-2.0
"""Four rounds of `make chaos`: what it checks holds under the faults that have lost data before."""

import subprocess
import sys
import unittest

from support import DEADLINE, REPOSITORY, TestCase, slow

FAULTS = ("agent kill", "agent stop", "output deleted", "temporary removed")


@slow("four rounds of chaos are")
class ChaosTest(TestCase):
    def test_nothing_is_lost_in_silence_or_left_behind(self):
        only = [argument for fault in FAULTS for argument in ("--fault", fault)]
        result = subprocess.run(
            [sys.executable, str(REPOSITORY / "tests" / "chaos" / "chaos.py"), "--rounds", str(len(FAULTS)), *only],
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn(f"{len(FAULTS)} rounds, 0 failed", result.stdout)


if __name__ == "__main__":
    unittest.main()
