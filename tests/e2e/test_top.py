# SPDX-License-Identifier: Apache-2.0
"""sparkprof top: one picture on a pipe, pictures and keys on a terminal, and a job that runs."""

import contextlib
import os
import re
import signal
import subprocess
import termios

from collector import Collector
from spark_jobs import Spark
from support import DEADLINE, OLD_RECORDING, SPARKPROF, TestCase, sparkprof, wait_until
from terminal import open_terminal

ROWS, COLUMNS = 30, 100


def once(*arguments, **options):
    return sparkprof("top", "--once", *arguments, **options).stdout


class Terminal:
    """A `sparkprof top` on a terminal of its own."""

    def __init__(self, *arguments):
        self.controller, self.terminal = open_terminal(ROWS, COLUMNS)
        self.before = termios.tcgetattr(self.terminal)
        streams = {"stdin": self.terminal, "stdout": self.terminal, "env": os.environ | {"TERM": "xterm"}}
        self.process = subprocess.Popen([SPARKPROF, "top", *map(str, arguments)], **streams)
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
        with contextlib.suppress(BlockingIOError):
            self.text += os.read(self.controller, 65536).decode()
        after = termios.tcgetattr(self.terminal)
        os.close(self.terminal)
        os.close(self.controller)
        return code, after == self.before


class TopTest(TestCase):
    def test_a_pipe_gets_one_picture_without_escape_sequences(self):
        text = once(OLD_RECORDING)
        self.assertRegex(text, r"STAGE +STATUS +DONE +TASKS")
        self.assertRegex(text, r"CPU of the (last 30\.0 s|whole run): ")
        self.assertRegex(text, r"SHARE +CPU +FOR +OWNER")
        self.assertNotIn("\033", text)

    def test_keys_sort_switch_the_window_and_quit(self):
        top = Terminal(OLD_RECORDING, "--last", "1s")
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
        top = Terminal(OLD_RECORDING)
        top.read_until("q quit")
        top.process.terminate()
        code, is_restored = top.end()
        self.assertEqual(code, 0)
        self.assertTrue(is_restored and "\033[?1049l" in top.text)

    def test_a_folder_of_a_job_that_is_starting_is_no_error_on_a_terminal(self):
        top = Terminal(self.folder, "--refresh", "200ms")
        top.read_until("q quit")
        (self.folder / "app.sprof").write_bytes(OLD_RECORDING.read_bytes())
        top.read_until("CPU of the")
        top.press("q")
        self.assertEqual(top.end()[0], 0)

    def test_wrong_values_and_missing_inputs_are_errors(self):
        for arguments in (["--refresh", "1ms"], ["--last", "soon"], ["/no/such/file"]):
            once(*arguments, code=2)

    def test_an_application_and_the_list_of_a_collector(self):
        with Collector(self.folder) as server:
            server.push(OLD_RECORDING)
            [application] = wait_until(server.applications, "the application")
            self.assertIn(application["id"], once(f"{server.url}/applications/{application['id']}"))
            self.assertRegex(once(server.url), r"[01] running applications?\n")


class RunningJobTest(TestCase):
    def test_a_host_shows_a_running_job_with_its_owners_and_python_lines(self):
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
        process = self.start("spark-submit", job, env=Spark().environment(), cwd=self.folder, start_new_session=True)
        self.addCleanup(os.killpg, process.pid, signal.SIGKILL)

        def picture():
            shown = once()
            return shown if re.search(r"busy_lines\.py:\d+ spin", shown) else None

        shown = wait_until(picture, "lines of Python")
        self.assertRegex(shown, r"python_worker")
        self.assertRegex(shown, r"\d+% +Python workers\n")
