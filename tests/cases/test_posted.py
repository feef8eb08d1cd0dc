# SPDX-License-Identifier: Apache-2.0
"""Findings in the texts of tests/posted, which are like those that users post."""

import json

from run_case import PROGRAM
from support import REPOSITORY, TestCase, execute

POSTED = REPOSITORY / "tests" / "posted"


class PostedTest(TestCase):
    def test_the_first_finding_names_the_failure(self):
        """named.tsv: the folder, and the row of failures/ or the rule that is right; "-" for nothing that failed."""
        named = dict(line.split("\t") for line in (POSTED / "named.tsv").read_text(encoding="utf-8").splitlines())
        self.assertEqual(sorted(named), sorted(path.name for path in POSTED.iterdir() if path.is_dir()))
        missed = []
        for case, right in named.items():
            (path,) = (POSTED / case).glob("input.*")
            answer = execute(PROGRAM, "findings", path, "--json", code=None)
            first = next(iter(json.loads(answer.stdout)), {})
            failure = (first.get("failure") or {}).get("id") or first.get("rule", "-")
            is_right = not first.get("isFailure") if right == "-" else failure == right
            if not is_right:
                missed.append(f"{case}: {failure}: {first.get('title')}")
        self.assertEqual(missed, [])
