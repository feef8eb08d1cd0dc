# SPDX-License-Identifier: Apache-2.0
"""%%sparkprof and sparkprof.profile(), with a session and a command made here."""

import contextlib
import io
import json
import linecache
import os
import shutil
import stat
import time
import unittest.mock

import sparkprof

from tests.support import FolderTest

COMMAND = """\
#!/usr/bin/env python3
import pathlib, sys
folder = pathlib.Path(__file__).parent
with open(folder / "calls", "a") as calls:
    calls.write(" ".join(sys.argv[1:]) + chr(10))
if sys.argv[1] == "flame":
    pathlib.Path(sys.argv[-1]).write_text("<p>flame</p>")
else:
    print((folder / (sys.argv[1] + ".json")).read_text())
"""
FINDING = {
    "rule": "sleep",
    "title": "Stage 3: tasks sleep for 80% of their time",
    "change": "call the service in batches",
    "saving": "4.0–7.0 s",
    "frames": ["ask (4711.py:2)"],
    "stages": [3],
}


class Session:
    """Only what is asked of a SparkSession, classic or Connect."""

    def __init__(self, **settings):
        self.settings = settings
        self.conf = self

    def get(self, name, default):
        return self.settings.get(name.replace(".", "_"), default)


class NotebookTest(FolderTest):
    def setUp(self):
        super().setUp()
        command = self.folder / "sparkprof"
        command.write_text(COMMAND)
        command.chmod(command.stat().st_mode | stat.S_IXUSR)
        environment = unittest.mock.patch.dict(os.environ, SPARKPROF_BIN=str(command))
        environment.start()
        self.addCleanup(environment.stop)
        poll = unittest.mock.patch("sparkprof.notebook._POLL", 0.01)
        poll.start()
        self.addCleanup(poll.stop)
        self.session = Session(spark_app_id="local-1", spark_sparkprof_dir=f"file:{self.folder}/spool")
        recording = self.folder / "spool" / "local-1" / "driver.sprof"
        recording.parent.mkdir(parents=True)
        recording.touch()
        later = time.time() + 3600
        os.utime(recording, (later, later))

    def answer(self, jobs=({"stageIds": [3]},), findings=(FINDING, {**FINDING, "title": "of another cell", "stages": [1]})):
        """What the command prints; jobs without times run now."""
        now = time.time() * 1000
        times = {"submissionTime": now, "completionTime": now}
        (self.folder / "show.json").write_text(json.dumps([{**times, **job} for job in jobs]))
        (self.folder / "findings.json").write_text(json.dumps(findings))

    def measure(self, session=None, wait=5, **answer):
        with sparkprof.profile(session or self.session, wait=wait) as cost:
            self.answer(**answer)
        return cost

    def test_a_block_has_the_findings_of_its_own_stages(self):
        cost = self.measure()
        self.assertEqual([one["title"] for one in cost.findings], [FINDING["title"]])
        self.assertEqual(cost.jobs, 1)
        self.assertRegex(cost.verdict, r"^0\.\d s, 1 Spark job\. Stage 3: tasks sleep for 80% of their time; could save 4\.0–7\.0 s\.$")
        self.assertIn(f"findings {self.folder}/spool/local-1 --json", (self.folder / "calls").read_text())
        self.assertEqual(repr(cost), str(cost))
        self.assertIn('srcdoc="&lt;p&gt;flame&lt;/p&gt;"', cost._repr_html_())

    def test_a_line_of_a_cell_is_shown_with_its_text(self):
        source = ["def ask():\n", "    time.sleep(1)\n"]
        name = os.path.join(self.folder, "4711.py")
        linecache.cache[name] = (1, None, source, name)
        self.addCleanup(linecache.cache.pop, name)
        finding = {**FINDING, "frames": ["ask (4711.py:2)", "sum at 4711.py:1", "no line"]}
        text = str(self.measure(findings=[finding]))
        self.assertIn("ask (4711.py:2)  time.sleep(1)\n    sum at 4711.py:1  def ask():\n    no line\n", text)

    def test_jobs_of_other_times_do_not_count(self):
        cost = self.measure(wait=0, jobs=[{"stageIds": [3], "submissionTime": 1000, "completionTime": 2000}])
        self.assertEqual((cost.jobs, cost.findings, cost.flame_graph), (0, [], ""))

    def test_the_block_runs_where_nothing_is_recorded(self):
        cost = self.measure(Session(spark_app_id="local-1"))
        self.assertIn("Not checked for known problems: the Spark session records nothing", cost.verdict)
        with sparkprof.profile() as cost:
            pass
        self.assertIn("no Spark session is active", cost.verdict)

    def test_the_recording_of_a_new_session_may_come_later(self):
        shutil.rmtree(self.folder / "spool")
        (self.folder / "sparkprof").write_text(f"#!/bin/sh\ntouch {self.folder}/asked; exit 2\n")
        with sparkprof.profile(self.session, wait=0.5) as cost:
            pass
        self.assertTrue((self.folder / "asked").exists())
        self.assertIn("Not checked", cost.verdict)

    def test_the_active_session_may_be_one_of_connect(self):
        def module(session):
            return unittest.mock.Mock(SparkSession=unittest.mock.Mock(getActiveSession=lambda: session))

        modules = {"pyspark.sql": module(None), "pyspark.sql.connect.session": module(self.session)}
        with unittest.mock.patch.dict("sys.modules", modules), sparkprof.profile(wait=5) as cost:
            self.answer()
        self.assertEqual(cost.jobs, 1)

    def test_a_failing_command_is_no_failure_of_the_block(self):
        (self.folder / "sparkprof").write_text("#!/bin/sh\necho no JSON\n")
        self.assertIn("Not checked", self.measure().verdict)

    def test_the_exception_of_a_block_is_its_own(self):
        with self.assertRaises(ZeroDivisionError), sparkprof.profile(self.session, wait=0) as cost:
            raise ZeroDivisionError
        self.assertIsNotNone(cost.seconds)

    def test_a_decorated_function_prints_after_each_call(self):
        @sparkprof.profile(self.session, wait=5)
        def double(number):
            self.answer()
            return number * 2

        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            self.assertEqual(double(21), 42)
        self.assertIn("tasks sleep", err.getvalue())

    def magic(self, shell):
        """The function and the kind of %%sparkprof in this shell."""
        magics = {}
        shell.register_magic_function = lambda function, magic_kind: magics.update({function.__name__: (function, magic_kind)})
        sparkprof.load_ipython_extension(shell)
        return magics["sparkprof"]

    def test_the_magic_runs_the_cell(self):
        shell = unittest.mock.Mock(user_ns={})
        shell.run_cell.return_value = unittest.mock.Mock(error_before_exec=None, error_in_exec=None)
        function, kind = self.magic(shell)
        self.assertEqual(kind, "cell")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            function("", "frame.count()\n")
        shell.run_cell.assert_called_once_with("frame.count()\n")
        self.assertIn("no Spark session is active", out.getvalue())

    def test_the_magic_fails_with_the_cell_after_its_cost(self):
        shown = []
        shell = unittest.mock.Mock(user_ns={"displayHTML": shown.append})
        shell.run_cell.return_value = unittest.mock.Mock(error_before_exec=None, error_in_exec=ValueError("of the cell"))
        with self.assertRaisesRegex(ValueError, "of the cell"):
            self.magic(shell)[0]("", "1 / 0\n")
        self.assertEqual(len(shown), 1)
