# SPDX-License-Identifier: Apache-2.0
"""sparkprof top: one picture on a pipe, pictures and keys on a terminal, and a job that runs."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import tempfile
import termios
import unittest
from pathlib import Path

from collector import Collector
from support import DEADLINE, REPOSITORY, SPARK_VERSIONS, SPARKPROF, Spark, TestCase, wait_until

RECORDING = REPOSITORY / "tests" / "cases" / "recordings" / "0.1.sprof"
ROWS, COLUMNS = 30, 100


def once(*arguments, check=True):
    return subprocess.run([SPARKPROF, "top", "--once", *map(str, arguments)], capture_output=True, text=True, check=check, timeout=DEADLINE)


class Terminal:
    """A `sparkprof top` on a terminal of its own."""

    def __init__(self, *arguments):
        self.controller, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        environment = {**os.environ, "TERM": "xterm"}
        self.before = termios.tcgetattr(terminal)
        self.process = subprocess.Popen([SPARKPROF, "top", *map(str, arguments)], stdin=terminal, stdout=terminal, env=environment)
        self.terminal = terminal
        self.text = ""

    def read_until(self, part):
        while part not in self.text:
            self.text += os.read(self.controller, 65536).decode()

    def press(self, key):
        self.text = ""
        os.write(self.controller, key.encode())

    def end(self):
        code = self.process.wait(timeout=DEADLINE)
        os.set_blocking(self.controller, False)
        try:
            self.text += os.read(self.controller, 65536).decode()
        except BlockingIOError:
            pass
        after = termios.tcgetattr(self.terminal)
        os.close(self.terminal)
        os.close(self.controller)
        return code, after == self.before


class TopTest(unittest.TestCase):
    def test_a_pipe_gets_one_picture_without_escape_sequences(self):
        text = once(RECORDING).stdout
        self.assertRegex(text, r"STAGE +STATUS +DONE +TASKS")
        self.assertRegex(text, r"CPU of the (last 30\.0 s|whole run): ")
        self.assertRegex(text, r"SHARE +CPU +FOR +OWNER")
        self.assertNotIn("\033", text)

    def test_keys_sort_switch_the_window_and_quit(self):
        top = Terminal(RECORDING, "--last", "1s")
        top.read_until("q quit")
        self.assertTrue(top.text.startswith("\033[?1049h"))
        self.assertIn("CPU of the last 1.0 s", top.text)
        for key, shown in (("s", "s sort (elapsed time)"), ("w", "CPU of the whole run"), ("w", "CPU of the last 1.0 s")):
            top.press(key)
            top.read_until("w window")
            self.assertIn(shown, top.text)
        # Each picture fits the terminal.
        picture = top.text.rsplit("\033[H", 1)[1]
        lines = re.sub(r"\033\[[0-9;?]*[a-zA-Z]", "", picture).split("\r\n")
        self.assertLessEqual(len(lines), ROWS)
        self.assertEqual([line for line in lines if len(line) > COLUMNS], [])
        top.press("q")
        code, is_restored = top.end()
        self.assertEqual(code, 0)
        self.assertTrue(top.text.endswith("\033[?1049l"))
        self.assertTrue(is_restored, "the terminal's settings")

    def test_a_signal_restores_the_terminal(self):
        top = Terminal(RECORDING)
        top.read_until("q quit")
        top.process.terminate()
        code, is_restored = top.end()
        self.assertEqual(code, 0)
        self.assertTrue(is_restored and "\033[?1049l" in top.text)

    def test_a_folder_of_a_job_that_is_starting_is_no_error_on_a_terminal(self):
        with tempfile.TemporaryDirectory() as folder:
            top = Terminal(folder, "--refresh", "200ms")
            top.read_until("q quit")
            Path(folder, "app.sprof").write_bytes(RECORDING.read_bytes())
            top.read_until("CPU of the")
            top.press("q")
            self.assertEqual(top.end()[0], 0)

    def test_wrong_values_and_missing_inputs_are_errors(self):
        for arguments in (["--refresh", "1ms"], ["--last", "soon"], ["/no/such/file"]):
            self.assertEqual(once(*arguments, check=False).returncode, 2, arguments)

    def test_an_application_and_the_list_of_a_collector(self):
        with tempfile.TemporaryDirectory() as data, Collector(Path(data) / "data") as server:
            subprocess.run([SPARKPROF, "push", RECORDING, "--server", server.url], check=True, capture_output=True)
            listed = []

            def has_it():
                listed[:] = server.request("GET", "/api/sparkprof/v1/applications").json()["applications"]
                return bool(listed)

            wait_until(has_it, "the application")
            text = once(f"{server.url}/applications/{listed[0]['id']}").stdout
            self.assertIn(listed[0]["id"], text)
            self.assertRegex(once(server.url).stdout, r"[01] running applications?\n")


class RunningJobTest(TestCase):
    def test_a_host_shows_a_running_job_with_its_owners_and_python_lines(self):
        spark = Spark(SPARK_VERSIONS[0])
        environment = spark.environment()
        job = self.folder / "busy_lines.py"
        job.write_text(
            "import time\n"
            "from pyspark.sql import SparkSession\n"
            "def spin(number):\n"
            "    end = time.monotonic() + 60\n"
            "    while time.monotonic() < end:\n"
            "        sum(range(1000))\n"
            "    return number\n"
            "session = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false').getOrCreate()\n"
            "session.sparkContext.parallelize([1], 1).map(spin).count()\n"
        )
        process = subprocess.Popen(
            ["spark-submit", job],
            env=environment,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

        def stop():
            os.killpg(process.pid, 9)
            process.wait()

        self.addCleanup(stop)
        shown = []

        def has_lines():
            shown[:] = [once().stdout]
            return re.search(r"busy_lines\.py:\d+ spin", shown[0])

        wait_until(has_lines, "lines of Python")
        self.assertRegex(shown[0], r"python_worker")
        self.assertRegex(shown[0], r"\d+% +Python workers\n")


if __name__ == "__main__":
    unittest.main()
