# SPDX-License-Identifier: Apache-2.0
"""%%sparkprof in an IPython kernel without Spark: what a front end gets, also about a cell that fails."""

import json
import os
import pathlib
import unittest

from support import PEERS, REPOSITORY, SPARKPROF, TestCase, execute

PYTHON = PEERS / "jupyter" / "bin" / "python"


@unittest.skipUnless(PYTHON.exists(), "scripts/setup peers installs Jupyter")
class NotebookKernelTest(TestCase):
    def run_cells(self, *cells):
        environment = {"PYTHONPATH": str(REPOSITORY / "python"), "SPARKPROF_BIN": SPARKPROF, "HOME": str(self.folder)}
        environment |= {"IPYTHONDIR": str(self.folder / "ipython")}
        program, sent = pathlib.Path(__file__).with_name("kernel_cells.py"), json.dumps(["%load_ext sparkprof", *cells])
        process = execute(PYTHON, program, input=sent, env=os.environ | environment, cwd=self.folder)
        return json.loads(process.stdout)[1:]

    def test_a_cell_shows_its_value_and_then_what_it_cost(self):
        (cell,) = self.run_cells("%%sparkprof\n6 * 7")
        self.assertEqual(cell["status"], "ok")
        value, cost = cell["shown"]
        self.assertEqual(value["data"]["text/plain"], "42")
        self.assertIn("no Spark session is active", cost["data"]["text/plain"])
        self.assertIn("no Spark session is active", cost["data"]["text/html"])

    def test_an_error_of_the_cell_is_shown_once_and_fails_the_cell(self):
        for source, name in (("1 / 0", "ZeroDivisionError"), ("1 +", "SyntaxError")):
            with self.subTest(source):
                failed, other, after = self.run_cells(f"%%sparkprof\n{source}", "[][1]", "'still alive'")
                self.assertEqual(failed["status"], "error")
                self.assertEqual([one["ename"] for one in failed["shown"] if one["type"] == "error"], [name])
                self.assertIn("no Spark session is active", failed["shown"][-1]["data"]["text/plain"])
                # Later errors are shown as ever.
                self.assertEqual([one["ename"] for one in other["shown"]], ["IndexError"])
                self.assertEqual(after["status"], "ok")

    def test_a_kernel_with_a_function_for_html_shows_the_cost_by_it(self):
        _, cell = self.run_cells("def displayHTML(text): print('HTML', text)", "%%sparkprof\npass")
        self.assertEqual([one["type"] for one in cell["shown"]], ["stream"])
        self.assertRegex(cell["shown"][0]["text"], "^HTML <pre>.*no Spark session is active")
