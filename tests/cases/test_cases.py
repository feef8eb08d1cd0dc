# SPDX-License-Identifier: Apache-2.0
"""Each case of tests/cases/*.test as a test, in a class for each file."""

import pathlib
import re
import unittest

import failure_page
import option_table
from case_file import read_cases
from run_case import run_case


def as_test(case):
    def test(self):
        if problems := run_case(case).problems:
            self.fail("\n".join([f"{case.place}: {case.name}", *case.parts["RUN"], *problems]))

    return test


class OtherToolsTest(unittest.TestCase):
    def test_the_page_has_the_rows_that_the_cases_run(self):
        self.assertEqual(option_table.PAGE.read_text(encoding="utf-8"), option_table.page(), "run tests/cases/option_table.py")


class FailuresTest(unittest.TestCase):
    def test_the_page_has_the_rows_of_the_tables(self):
        self.assertEqual(failure_page.PAGE.read_text(encoding="utf-8"), failure_page.page(), "run tests/cases/failure_page.py")


for path in sorted(pathlib.Path(__file__).parent.glob("*.test")):
    tests = {"test_" + re.sub(r"\W+", "_", case.name).strip("_"): as_test(case) for case in read_cases(path)}
    globals()[path.stem] = type(path.stem, (unittest.TestCase,), tests)
