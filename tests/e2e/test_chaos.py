# SPDX-License-Identifier: Apache-2.0
"""Four rounds of `make chaos`: what it checks holds under the faults that have lost data before."""

import sys

from support import REPOSITORY, TestCase, execute, slow

FAULTS = ("agent kill", "agent stop", "output deleted", "temporary removed")


@slow("four rounds of chaos are")
class ChaosTest(TestCase):
    def test_nothing_is_lost_in_silence_or_left_behind(self):
        only = [argument for fault in FAULTS for argument in ("--fault", fault)]
        result = execute(sys.executable, REPOSITORY / "tests" / "chaos" / "chaos.py", "--rounds", len(FAULTS), *only)
        self.assertIn(f"{len(FAULTS)} rounds, 0 failed", result.stdout)
