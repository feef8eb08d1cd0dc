# SPDX-License-Identifier: Apache-2.0
"""Texts that mutations.py changes, and texts that it leaves alone."""

import unittest

from mutations import described, mutations


def results(source):
    """The changed lines, with their kinds."""
    return {(mutation.kind, described(source, mutation)[2]) for mutation in mutations(source)}


class MutationsTest(unittest.TestCase):
    def test_operators_and_constants_are_changed_one_at_a_time(self):
        self.assertEqual(results("int x = a + 2;\n"), {("operator", "int x = a - 2;"), ("constant", "int x = a + 3;")})
        self.assertIn(("operator", "bool b = a <= 1'000;"), results("bool b = a < 1'000;\n"))
        self.assertIn(("constant", "bool b = a < 1001;"), results("bool b = a < 1'000;\n"))

    def test_conditions_are_turned_around(self):
        self.assertIn(("condition", "if (!(Fits(a) && b)) return;"), results("  if (Fits(a) && b) return;\n"))

    def test_a_condition_that_declares_is_not_turned_around(self):
        for source in ("  if (const auto x = Get()) Use(x);\n", "  if (int i = 0; i < n) Use(i);\n"):
            self.assertNotIn("condition", {kind for kind, _ in results(source)})

    def test_values_that_are_returned_become_empty_ones(self):
        self.assertIn(("return", "return {};"), results("  return Sum(rows);\n"))

    def test_statements_are_removed(self):
        for source in ("  rows.clear();\n", "  total += weight;\n", "  ++count;\n  seen_[i]++;\n", "  a.b = c;\n"):
            self.assertIn(("statement", "(removed)"), results(source), source)

    def test_a_declaration_is_not_removed(self):
        self.assertNotIn("statement", {kind for kind, _ in results("  const int64_t x = Sum();\n")})

    def test_comments_literals_templates_and_preprocessor_lines_stay(self):
        for source in (
            "// a < 1\n",
            "/* a + 2\n b - 3 */\n",
            '  Say("a < 1 && true");\n'.replace("Say", "return Say"),
            "#if FOO > 1\n#endif\n",
            "std::map<int, char> m;\n",
            "char c = '1';\n",
            "auto h = 0x1f;\n",
        ):
            self.assertLessEqual({kind for kind, _ in results(source)}, {"return"}, source)

    def test_the_place_is_the_line(self):
        source = "int a;\n\n  b += c;\n"
        self.assertEqual({described(source, mutation)[0] for mutation in mutations(source)}, {3})
