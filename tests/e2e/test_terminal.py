# SPDX-License-Identifier: Apache-2.0
"""Output of commands on a terminal, which pipes must not get."""

import fcntl
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("SPARKPROF_BIN", str(ROOT / "bin" / "sparkprof"))
STACKS = "".join(f"main;f{i};leaf{i} {i + 1}\n" for i in range(500))


def on_terminal(arguments, folder, columns=80, **variables):
    """The exit code, and what a terminal as standard output got."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm", **variables}
    with subprocess.Popen(
        [BINARY, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=terminal, stderr=subprocess.PIPE
    ) as process:
        os.close(terminal)
        text = b""
        try:
            while data := os.read(controller, 65536):
                text += data
        except OSError:  # the other side is closed
            pass
        process.stderr.read()
    os.close(controller)
    return process.returncode, text.decode().replace("\r\n", "\n")


class Terminal(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "in.collapsed").write_text(STACKS)

    def test_a_flame_graph_is_a_file_and_its_top_functions(self):
        code, text = on_terminal(["flame", "in.collapsed"], self.folder)
        self.assertEqual(code, 0)
        self.assertIn("Wrote flame.svg", text)
        self.assertIn("leaf499", text)
        self.assertLess(text.count("\n"), 20)
        self.assertIn("<svg", (self.folder / "flame.svg").read_text())

    def test_no_file_is_overwritten(self):
        (self.folder / "flame.svg").write_text("mine")
        _, text = on_terminal(["flame", "in.collapsed"], self.folder)
        self.assertIn("Wrote flame-2.svg", text)
        self.assertEqual((self.folder / "flame.svg").read_text(), "mine")

    def test_stacks_that_were_asked_for_are_printed(self):
        for option in (["-o", "-"], ["--format", "collapsed"]):
            code, text = on_terminal(["flame", "in.collapsed", *option], self.folder)
            self.assertEqual((code, text.count("\n")), (0, 500), option)
        self.assertFalse((self.folder / "flame.svg").exists())

    def test_a_pipe_gets_the_stacks(self):
        result = subprocess.run([BINARY, "flame", "in.collapsed"], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(result.stdout.count("\n"), 500)
        self.assertEqual([file.name for file in self.folder.iterdir()], ["in.collapsed"])

    def test_a_python_process_is_a_file_too(self):
        with subprocess.Popen(["python3", "-c", "while True: sum(range(1000))"]) as busy:
            try:
                code, text = on_terminal(["attach", str(busy.pid), "--python", "--duration", "1s"], self.folder)
            finally:
                busy.kill()
        if code == 2:
            self.skipTest("this Python cannot be read from outside here")
        self.assertIn("Wrote flame.svg", text)
        self.assertLess(text.count("\n"), 20)

    def test_help_has_no_lists_of_options_that_exclude_each_other(self):
        verbs = [
            line.split()[0]
            for line in subprocess.run([BINARY, "--help"], capture_output=True, text=True, check=True).stdout.splitlines()
            if line.startswith("  ") and line[2:3].islower()
        ]
        self.assertIn("attach", verbs)
        for verb in verbs:
            text = on_terminal([verb, "--help"], self.folder)[1]
            for noise in ("Excludes:", "Needs:", "PATH TEXT", "own own"):
                self.assertNotIn(noise, text, verb)

    def test_texts_fit_the_terminal_and_begin_with_the_findings(self):
        log = self.folder / "log"
        with log.open("w") as output:
            groups = ["cores=2", "12 duration=30000 gc=20000 run=30000"]
            subprocess.run([sys.executable, str(ROOT / "tests" / "cases" / "event_log.py"), *groups], stdout=output, check=True)
        commands = [
            "info log",
            "report log -o r.html",
            "analyze log --no-report",
            "findings log",
            "compare log --cores 8",
            "compare log log",
            "tune log",
        ]
        for command in commands:
            with self.subTest(command=command):
                text = on_terminal(command.split(), self.folder, columns=60)[1]
                lines = re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n")
                # Words longer than a line stay whole.
                self.assertEqual([line for line in lines if len(line) > 60 and len(line.split()) > 2], [])
        text = on_terminal(["report", "log", "-o", "r.html"], self.folder)[1]
        self.assertLess(text.index("Findings"), text.index("Where it went"))

    def test_text_has_colors_but_not_with_no_color(self):
        for variables, has_colors in (({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
            text = on_terminal(["--help"], self.folder, **variables)[1]
            self.assertEqual("\x1b[" in text, has_colors, variables)
