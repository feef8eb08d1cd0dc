# SPDX-License-Identifier: Apache-2.0
"""The page about what findings were right about has the counts of its inputs, and nothing that they lack."""

import json
import sys

from run_case import REPOSITORY
from support import TestCase, execute

SCRIPT = REPOSITORY / "bench" / "truth_table.py"


def finding(rule, right, severity="high", saving=(4.0, 6.0)):
    return {"rule": rule, "severity": severity, "savingSeconds": list(saving), "right": right}


def job(name, rules, profile, events, log, **times):
    return {"job": name, "rules": rules, "found": {"profile": profile, "events": events, "log": log}, **times}


class TruthTableTest(TestCase):
    def page(self, *inputs):
        paths = []
        for number, content in enumerate(inputs):
            paths.append(self.folder / f"{number}.json")
            paths[-1].write_text(json.dumps(content))
        return execute(sys.executable, SCRIPT, *paths).stdout

    def results(self, *jobs):
        return {"date": "2026-11-30", "sparkprof": "1.2.3", "spark": "4.1.1", "loaded": False, "jobs": list(jobs)}

    def test_a_rule_is_right_as_often_as_it_names_the_cause_when_it_is_first(self):
        page = self.page(
            self.results(
                job("straggler", ["skew"], finding("skew", True), finding("skew", True), finding("gc", False)),
                job("fatso", ["gc"], finding("gc", True), None, None),
                job("words", [], finding("gc", False), finding("gc", True, severity="low"), None),
            )
        )
        self.assertIn("## 2026-11-30: sparkprof 1.2.3, Spark 4.1.1\n", page)
        self.assertIn("0 of the 1 healthy jobs have no finding above low", page)
        self.assertIn("| `gc` | 1 of 1 | 0 of 1 | 0 of 1 | 1 of 3 |", page)
        self.assertIn("| `skew` | 1 of 1 | 1 of 1 | 0 of 1 | 2 of 2 |", page)
        self.assertNotIn("promised", page.lower())

    def test_gains_stand_beside_promises(self):
        right = finding("skew", True)
        page = self.page(
            self.results(
                job("a", ["skew"], right, None, None, seconds=20.0, fixedSeconds=15.0),
                job("b", ["skew"], right, None, None, seconds=20.0, fixedSeconds=18.0),
                job("c", ["skew"], finding("gc", False), None, None, seconds=20.0, fixedSeconds=1.0),
            )
        )
        self.assertIn("| `skew` | a | 4.0 to 6.0 s | 5.0 s | as promised |", page)
        self.assertIn("| `skew` | b | 4.0 to 6.0 s | 2.0 s | less |", page)
        self.assertNotIn("19.0 s", page)

    def test_proofs_have_their_verdict(self):
        delta = {"median": -3800, "low": -4400, "high": -3100}
        proof = {"verdict": "proved", "application": "daily", "rule": "tiny-tasks", "promise": "kept"}
        page = self.page(proof | {"deltaMs": delta, "promisedMs": {"low": -4200, "high": -3100}}, {"promisedMs": None, "deltaMs": delta})
        self.assertIn("| `tiny-tasks` | daily: proved | 3.1 to 4.2 s | 3.8 s | kept |", page)
        self.assertEqual(page.count("daily"), 1)
