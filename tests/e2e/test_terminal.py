# SPDX-License-Identifier: Apache-2.0
"""Output of commands on a terminal, which pipes must not get."""

import os
import pathlib
import pty
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("SPARKPROF_BINARY", str(ROOT / "bin" / "sparkprof"))
STACKS = "".join(f"main;f{i};leaf{i} {i + 1}\n" for i in range(500))


def on_terminal(arguments, folder):
    """The exit code, and what a terminal as standard output got."""
    controller, terminal = pty.openpty()
    with subprocess.Popen([BINARY, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=terminal, stderr=subprocess.PIPE) as process:
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
