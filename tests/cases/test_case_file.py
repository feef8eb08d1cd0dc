# SPDX-License-Identifier: Apache-2.0
"""The runner of the cases itself: what it reads, what it compares, and that a case that does not hold fails readably."""

from case_file import CaseError, read_cases
from expectations import contains, exact, follow, json_values
from run_case import run_case
from support import TestCase, write_file

ECHO = '#!/bin/sh\ncase "$1" in fail) echo "broken: $2" >&2; touch left; exit 3 ;; esac\nfor word; do echo "$word"; done\n'


class RunnerTest(TestCase):
    def setUp(self):
        super().setUp()
        self.program = write_file(self.folder / "echo", ECHO, 0o755)

    def cases(self, text):
        path = self.folder / "a.test"
        path.write_text(text)
        return read_cases(path)

    def problems(self, text):
        (case,) = self.cases(text)
        return "\n".join(run_case(case, self.program).problems)

    def test_a_case_holds_when_everything_is_as_expected(self):
        self.assertEqual(
            self.problems("NAME a\nINPUT x\n    one\n      two\nRUN sparkprof a b; cat x\nEXPECT\n    a\n    b\n    one\n      two\n"), ""
        )

    def test_a_difference_is_shown_line_by_line(self):
        problem = self.problems("NAME a\nRUN sparkprof a b c\nEXPECT\n    a\n    {{[xyz]}}\n    c\n")
        self.assertIn("standard output differs", problem)
        self.assertIn("\n a\n-{{[xyz]}}\n+b\n c", problem)

    def test_lines_that_match_a_pattern_are_no_difference(self):
        self.assertEqual(self.problems("NAME a\nRUN sparkprof a7 '(b)'\nEXPECT\n    a{{\\d}}\n    (b)\n"), "")

    def test_missing_and_further_lines_are_differences(self):
        self.assertIn("-b", self.problems("NAME a\nRUN sparkprof a\nEXPECT\n    a\n    b\n"))
        self.assertIn("+b", self.problems("NAME a\nRUN sparkprof a b\nEXPECT a\n"))

    def test_an_exit_code_and_an_error_must_be_expected(self):
        run = "NAME a\nRUN rm -f left; sparkprof fail x; code=$?; rm left; exit $code\n"
        self.assertEqual(self.problems(run + "EXIT 3\nSTDERR broken: {{.}}\n"), "")
        self.assertIn("exit 3, expected 0", self.problems(run + "STDERR broken: x\n"))
        self.assertIn("standard error differs", self.problems(run + "EXIT 3\n"))

    def test_a_failure_that_leaves_a_file_or_output_does_not_hold(self):
        self.assertIn("files: left, expected ", self.problems("NAME a\nRUN sparkprof fail x\nEXIT 3\nSTDERR broken: x\n"))
        self.assertEqual(self.problems("NAME a\nRUN sparkprof fail x\nEXIT 3\nFILES left\nSTDERR broken: x\n"), "")
        self.assertIn("though it failed", self.problems("NAME a\nRUN sparkprof a; exit 1\nEXIT 1\n"))

    def test_what_is_shared_comes_before_what_is_a_cases_own(self):
        first, second = self.cases(
            "INPUT x\n    1\nBEFORE cp x y\n\nNAME a\nBEFORE echo 2 >>y\nRUN cat y\nEXPECT\n    1\n    2\n\nNAME b\nRUN cat y\nEXPECT 1\n"
        )
        self.assertEqual([run_case(case, self.program).problems for case in (first, second)], [[], []])

    def test_a_preparation_that_fails_is_told_apart(self):
        self.assertIn("BEFORE: exit 1", self.problems("NAME a\nBEFORE\n    false\n    true\nRUN true\nEXPECT\n"))

    def test_settings_of_the_caller_do_not_reach_a_case(self):
        self.assertEqual(self.problems("NAME a\nRUN env | grep -c '^SPARKPROF_'\nEXIT 1\nEXPECT 0\n"), "")

    def test_a_file_that_is_not_understood_names_the_line(self):
        for text, message in (
            ("NAME a\nRUM x\n", ":2: 'RUM' is not a keyword"),
            ("EXPECT x\n", ":1: EXPECT before the first NAME"),
            ("NAME a\nRUN x\nRUN y\n", ":3: RUN occurs twice in 'a'"),
            ("NAME a\nEXPECT x\n", ":1: 'a' has no RUN"),
            ("NAME a\nRUN x\n", ":1: 'a' expects nothing"),
            ("NAME a\nRUN x\nEXIT 0\nNAME a\n", ":4: there is already a case named 'a'"),
            ("NAME a\nRUN x\nEXIT two\n", ":3: EXIT takes a number"),
            ("INPUT\n", ":1: INPUT needs the name of a file"),
        ):
            with self.subTest(message), self.assertRaises(CaseError) as caught:
                self.cases(text)
            self.assertIn(message, str(caught.exception))

    def test_values_of_json_by_their_paths(self):
        text = '{"rows": [{"id": 1, "n": "a"}, {"id": 2, "n": null}]}'
        self.assertIsNone(json_values(["rows[0].id = 1", 'rows[*].n = ["a", null]', "count(rows) = 2", "count() = 1"], text))
        self.assertIn("rows[0].id = 1, expected 2", json_values(["rows[0].id = 2"], text))
        self.assertIn("no rows[7].id", json_values(["rows[7].id = 2"], text))
        self.assertIn("not JSON", json_values(["a = 1"], "{"))
        self.assertEqual(follow([[1], [2]], "[1][0]"), 2)

    def test_contained_lines_are_found_in_their_order(self):
        self.assertIsNone(contains("text", ["a", "c{{.}}"], "xax\nb\ncd"))
        self.assertIsNotNone(contains("text", ["b", "a"], "a\nb"))

    def test_text_is_compared_whole(self):
        self.assertIsNotNone(exact("text", ["a"], "ab"))
        self.assertIsNotNone(exact("text", ["a.c"], "abc"))
