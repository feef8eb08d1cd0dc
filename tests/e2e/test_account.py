# SPDX-License-Identifier: Apache-2.0
"""One account for all: on each shared log its entries add up, and tune names the settings that findings advise.

Reads SPARKPROF_SHARED_DATA or ../shared/data.
"""

import re
import unittest

from support import SHARED_LOGS, json_of
from test_event_logs import shared_logs

SETTING = re.compile(r"[Ss]et (spark\.[A-Za-z.]+)=([A-Za-z0-9.:_-]*[A-Za-z0-9])")


def inputs():
    return [*shared_logs(), *sorted(path for path in (SHARED_LOGS.parent / "phil_stopwatch").iterdir() if path.suffix != ".json")]


@unittest.skipUnless(SHARED_LOGS.is_dir(), f"{SHARED_LOGS} does not exist")
class AccountTest(unittest.TestCase):
    def test_entries_add_up_to_the_time_and_their_shares_to_the_whole(self):
        for path in inputs():
            with self.subTest(path=path.name):
                info = json_of("info", path)
                account = info["account"]
                duration_ms = sum(one["endTime"] - one["startTime"] for one in info["applications"] if one["endTime"] > 0)
                self.assertAlmostEqual(sum(one["ms"] for one in account["wall"]), duration_ms, delta=len(info["applications"]))
                for entries in (account["wall"], account["core"]):
                    if entries:
                        self.assertAlmostEqual(sum(one["share"] for one in entries), 100.0, delta=0.1)
                        self.assertEqual([one for one in entries if one["ms"] < 0 or one["share"] > 100], [])

    def test_tune_names_each_setting_that_a_finding_advises(self):
        for path in shared_logs():
            findings = json_of("findings", path)
            if len({one["application"] for one in findings}) != 1:
                continue
            with self.subTest(path=path.name):
                tuned = {one["key"] for one in json_of("tune", path)["settings"]}
                for finding in findings:
                    # A setting's value in force, after "Now: ", is no advice.
                    for key, _ in SETTING.findall(finding["change"].split(". Now: ")[0]):
                        self.assertIn(key, tuned, finding["id"])
