# SPDX-License-Identifier: Apache-2.0
"""The findings of the shared event logs against those that a person judged: tests/labels/findings.tsv.

A finding that is not in the table is not judged yet; one of the table that is not found has moved. Both are failures: judge
the finding, change the table, and give the reason. Reads SPARKPROF_SHARED_DATA or ../shared/data.
"""

import csv
import re
import unittest

from support import REPOSITORY, SHARED_LOGS, json_of
from test_event_logs import shared_logs

LABELS = REPOSITORY / "tests" / "labels" / "findings.tsv"
LEAST_PRECISION = 0.95


@unittest.skipUnless(SHARED_LOGS.is_dir(), f"{SHARED_LOGS} does not exist")
class FindingLabelsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with LABELS.open(encoding="utf-8") as file:
            cls.labels = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        cls.found = [(str(log.relative_to(SHARED_LOGS)), one) for log in shared_logs() for one in json_of("findings", log)]

    def test_every_finding_is_judged(self):
        judged = {(row["log"], row["finding"], row["severity"]) for row in self.labels}
        found = {(log, one["id"], one["severity"]) for log, one in self.found}
        self.assertEqual(sorted(found - judged), [], "new: judge them in tests/labels/findings.tsv")
        self.assertEqual(sorted(judged - found), [], "gone or of another severity")

    def test_few_are_wrong_and_none_of_them_is_a_headline_above_low(self):
        wrong = {(row["log"], row["finding"]) for row in self.labels if row["verdict"] == "wrong"}
        self.assertGreaterEqual(1 - len(wrong) / len(self.labels), LEAST_PRECISION)
        headlines = {}
        for log, one in self.found:
            headlines.setdefault((log, one["application"]), one)
        for (log, _), one in headlines.items():
            if one["severity"] != "low":
                self.assertNotIn((log, one["id"]), wrong)

    def test_no_saving_is_beyond_the_application_and_severity_follows_the_saving(self):
        for log, one in self.found:
            with self.subTest(log=log, finding=one["id"]):
                if one["savingMs"] == 0:
                    self.assertTrue(one["isFailure"])
                    continue
                self.assertLessEqual(one["savingMs"]["low"], one["savingMs"]["high"])
                # The loss of an executor is a risk, whatever it cost this time.
                if one["severity"] == "medium" and one["rule"] != "lost-executors":
                    self.assertGreater(one["savingMs"]["high"], 0)
                if one["folded"]:
                    self.assertEqual(one["severity"], "low")

    def test_no_share_is_above_the_whole_and_savings_are_within_their_evidence(self):
        durations = {}
        for log in shared_logs():
            for application in json_of("analyze", log, "--no-report")["applications"]:
                durations[(str(log.relative_to(SHARED_LOGS)), application["id"])] = application["durationMs"]
                for line in application["summary"]["lines"]:
                    if not line.startswith("Where it went"):
                        continue
                    shares = [float(share) for share in re.findall(r"([0-9.]+)%", line)]
                    self.assertAlmostEqual(sum(shares), 100.0, places=6, msg=f"{log}: {line}")
        saved = {}
        for log, one in self.found:
            with self.subTest(log=log, finding=one["id"]):
                texts = " ".join((one["title"], one["what"], one["measured"]))
                self.assertEqual([share for share in re.findall(r"([0-9.]+)%", texts) if float(share) > 100], [])
                if one["savingMs"] == 0:
                    continue
                self.assertLessEqual(one["savingMs"]["high"], durations[(log, one["application"])])
                if "overlaps" not in one:
                    key = (log, one["application"])
                    saved[key] = saved.get(key, 0) + one["savingMs"]["low"]
        for key, saving in saved.items():
            with self.subTest(key=key):
                self.assertLessEqual(saving, durations[key])
