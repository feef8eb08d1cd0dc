# SPDX-License-Identifier: Apache-2.0
"""Output of commands on a terminal, which pipes must not get."""

import subprocess

from small_logs import made_log
from support import TestCase, sparkprof
from terminal import on_terminal

STACKS = "".join(f"main;f{i};leaf{i} {i + 1}\n" for i in range(500))


class TerminalTest(TestCase):
    def setUp(self):
        super().setUp()
        (self.folder / "in.collapsed").write_text(STACKS)

    def test_a_flame_graph_is_a_file_and_its_top_functions(self):
        code, text = on_terminal("flame", "in.collapsed", folder=self.folder)
        self.assertEqual(code, 0)
        self.assertIn("Wrote flame.svg", text)
        self.assertIn("leaf499", text)
        self.assertLess(text.count("\n"), 20)
        self.assertIn("<svg", (self.folder / "flame.svg").read_text())

    def test_no_file_is_overwritten(self):
        (self.folder / "flame.svg").write_text("mine")
        _, text = on_terminal("flame", "in.collapsed", folder=self.folder)
        self.assertIn("Wrote flame-2.svg", text)
        self.assertEqual((self.folder / "flame.svg").read_text(), "mine")

    def test_stacks_that_were_asked_for_are_printed(self):
        for option in (["-o", "-"], ["--format", "collapsed"]):
            code, text = on_terminal("flame", "in.collapsed", *option, folder=self.folder)
            self.assertEqual((code, text.count("\n")), (0, 500), option)
        self.assertFalse((self.folder / "flame.svg").exists())

    def test_a_pipe_gets_the_stacks(self):
        result = sparkprof("flame", "in.collapsed", cwd=self.folder)
        self.assertEqual(result.stdout.count("\n"), 500)
        self.assertEqual([file.name for file in self.folder.iterdir()], ["in.collapsed"])

    def test_a_python_process_is_a_file_too(self):
        with subprocess.Popen(["python3", "-c", "while True: sum(range(1000))"]) as busy:
            try:
                code, text = on_terminal("attach", str(busy.pid), "--python", "--duration", "1s", folder=self.folder)
            finally:
                busy.kill()
        if code == 2:
            self.skipTest("this Python cannot be read from outside here")
        self.assertIn("Wrote flame.svg", text)
        self.assertLess(text.count("\n"), 20)

    def test_help_has_no_lists_of_options_that_exclude_each_other(self):
        verbs = [line.split()[0] for line in sparkprof("--help").stdout.splitlines() if line.startswith("  ") and line[2:3].islower()]
        self.assertIn("attach", verbs)
        for verb in verbs:
            text = on_terminal(verb, "--help", folder=self.folder)[1]
            for noise in ("Excludes:", "Needs:", "PATH TEXT", "own own"):
                self.assertNotIn(noise, text, verb)

    def test_texts_fit_the_terminal_and_begin_with_the_findings(self):
        log = self.folder / "log"
        log.write_bytes(made_log("cores=2", "12 duration=30000 gc=20000 run=30000"))
        analyzed = ["report log -o r.html", "analyze log --no-report", "findings log", "tune log"]
        for command in ("info log", *analyzed, "compare log --cores 8", "compare log log"):
            with self.subTest(command=command):
                text = on_terminal(*command.split(), folder=self.folder, columns=60, strip=True)[1]
                # Words longer than a line stay whole.
                self.assertEqual([line for line in text.split("\n") if len(line) > 60 and len(line.split()) > 2], [])
        text = on_terminal("report", "log", "-o", "r.html", folder=self.folder)[1]
        self.assertLess(text.index("Findings"), text.index("Where it went"))

    def test_text_has_colors_but_not_with_no_color(self):
        for variables, has_colors in (({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
            text = on_terminal("--help", **variables)[1]
            self.assertEqual("\x1b[" in text, has_colors, variables)
