# SPDX-License-Identifier: Apache-2.0
"""Permissions of sparkprof's files; planted links, pipes and folders of another user have no effect on them."""

import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import unittest

from collector import API, JSON, Collector
from small_logs import event_log, made_log
from spark_jobs import run_profiled
from support import DEADLINE, JOBS, SPARKPROF, TestCase, execute, sparkprof

NOBODY = 65534


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def as_attacker(act):
    child = os.fork()
    if child == 0:
        try:
            os.setuid(NOBODY)
            act()
            os._exit(0)
        finally:
            os._exit(1)
    if os.waitpid(child, 0)[1] != 0:
        raise AssertionError("the attacker could not plant anything")


class Modes(TestCase):
    def setUp(self):
        super().setUp()
        (self.folder / "log").write_bytes(made_log("2 duration=1000"))
        self.addCleanup(os.umask, os.umask(0))

    def test_outputs_are_private_whatever_the_umask(self):
        for mask in (0o000, 0o022, 0o177):
            os.umask(mask)
            folder = self.folder / f"out-{mask}"
            folder.mkdir(mode=0o755)
            folder.chmod(0o755)
            sparkprof("analyze", self.folder / "log", "--report", folder / "r.html", "-o", folder / "r.sprof", "--csv-dir", folder / "csv")
            sparkprof("report", folder / "r.sprof", "-o", folder / "again.html")
            for path in folder.rglob("*"):
                self.assertEqual(mode(path), 0o700 if path.is_dir() else 0o600, path)
            os.umask(0o022)

    def test_share_opens_them_for_reading(self):
        os.umask(0o077)
        for who, of_file, of_folder in (("group", 0o640, 0o750), ("all", 0o644, 0o755)):
            folder = self.folder / who
            sparkprof("analyze", self.folder / "log", "--no-report", "--csv-dir", folder, "--share", who)
            self.assertEqual(mode(folder), of_folder)
            self.assertEqual({mode(path) for path in folder.iterdir()}, {of_file})
        refused = sparkprof("analyze", self.folder / "log", "--no-report", "--share", "everybody", code=2)
        self.assertIn("--share", refused.stderr)

    def test_a_run_is_private_and_can_be_shared(self):
        for who, of_file, of_folder in ((None, 0o600, 0o700), ("all", 0o644, 0o755)):
            output = self.folder / f"run-{who}"
            share = ["--share", who] if who else []
            kept = self.folder / f"kept-{who}"
            run_profiled(output, ["python", JOBS / "settings_job.py", "stop"], sparkprof=[*share, "--dir", kept])
            self.assertEqual(mode(output), of_folder)
            recordings = list(kept.rglob("*.sprof"))
            self.assertTrue(recordings)
            for path in [*recordings, *output.iterdir()]:
                self.assertEqual(mode(path), of_file, path)
            self.assertEqual(mode(recordings[0].parent), of_folder)


class DataFolder(TestCase):
    """Everything below --data of a collector, while it runs and after it was killed."""

    def setUp(self):
        super().setUp()
        self.addCleanup(os.umask, os.umask(0))
        self.data, self.logs = self.folder / "data", self.folder / "logs"
        self.logs.mkdir()
        for number in range(20):
            (self.logs / f"app-{number}").write_bytes(event_log(f"app-{number}"))

    def modes(self):
        return {path.relative_to(self.data.parent): mode(path) for path in (self.data, *self.data.rglob("*"))}

    def assert_private(self, of_file=0o600, of_folder=0o700):
        for path, found in self.modes().items():
            self.assertEqual(oct(found), oct(of_folder if (self.data.parent / path).is_dir() else of_file), path)

    def use(self, *options):
        """Every kind of file that a collector writes."""
        with Collector(self.data, "--watch", self.logs, *options) as server:
            server.wait_for(lambda rows: len(rows) == 20, "the catalogue's rows")
            self.assertIn("catalogue.duckdb.wal", {path.name for path in self.data.iterdir()})
            server.request("PUT", f"{API}/groups/a/configuration", {"profiler.alloc": "off"})
            server.request("POST", f"{API}/runs", {"suiteName": "s", "startTime": 1700000000000}, JSON)
            server.push(self.logs / "app-1")
            yield
            server.kill()
        yield

    def test_new_ones_are_private_whatever_the_umask(self):
        for mask in (0o000, 0o022):
            os.umask(mask)
            for _ in self.use():
                self.assert_private()
            shutil.rmtree(self.data)

    def test_share_lets_others_read(self):
        os.umask(0o077)
        for _ in self.use("--share", "group"):
            for path, found in self.modes().items():
                self.assertEqual(found & 0o027, 0, path)

    def test_old_ones_lose_the_permissions_of_others(self):
        for _ in self.use():
            pass
        for path in (self.data, *self.data.rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o666)
        with Collector(self.data, "--watch", self.logs):
            self.assert_private()
        for path in (self.data, *self.data.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        self.assertIn("removed the permissions of other users", sparkprof("collector", "status", "--data", self.data).stderr)
        self.assert_private()

    @unittest.skipUnless(os.geteuid() == 0, "only root can act as another user")
    def test_what_another_user_planted_is_refused(self):
        self.folder.chmod(0o755)
        self.data.mkdir()
        for name in ("catalogue.duckdb", "recordings", "audit.jsonl"):
            self.data.chmod(0o777)
            as_attacker(lambda path=self.data / name: os.symlink("/etc/passwd", path))
            ended = sparkprof("serve", "--listen", "127.0.0.1:0", "--data", self.data, code=2)
            self.assertIn(f"{name}: belongs to another user", ended.stderr)
            (self.data / name).unlink()


class Names(TestCase):
    def test_the_ending_says_what_is_written(self):
        (self.folder / "log").write_bytes(made_log("2 duration=1000"))
        sparkprof("analyze", "log", "-o", "page.html", cwd=self.folder)
        self.assertIn("<html", (self.folder / "page.html").read_text()[:300])
        self.assertFalse((self.folder / "report.html").exists())
        sparkprof("analyze", "log", "--no-report", "-o", "made.sprof", cwd=self.folder)
        self.assertEqual((self.folder / "made.sprof").read_bytes()[:4], b"SPRF")
        for arguments, named in (
            (["analyze", "log", "-o", "x.txt"], ".html (the report) or .sprof (a recording)"),
            (["analyze", "log", "--report", "x.sprof"], ".html (the report)"),
            (["analyze", "log", "-o", "a.html", "--report", "b.html"], "both name a report"),
            (["report", "made.sprof", "-o", "x.sprof"], "the name must end in .html"),
            (["flame", "made.sprof", "-o", "x.sprof"], "x.sprof: unknown output format"),
        ):
            refused = sparkprof(*arguments, cwd=self.folder, code=2)
            self.assertIn(named, refused.stderr)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"log", "page.html", "made.sprof"})

    def test_a_pipe_with_a_writer_is_read(self):
        os.mkfifo(self.folder / "pipe")
        writer = subprocess.Popen(["sh", "-c", f"sleep 1; cat > {self.folder / 'pipe'}"], stdin=subprocess.PIPE)
        writer.stdin.write(made_log("2 duration=1000"))
        writer.stdin.close()
        self.addCleanup(writer.wait)
        self.assertIn("1 job", sparkprof("analyze", self.folder / "pipe", "--no-report").stdout)

    def test_a_pipe_without_writer_is_refused_by_every_verb(self):
        os.mkfifo(self.folder / "pipe")
        verbs = ("analyze --no-report", "report", "info", "flame", "logs", "show metrics", "show udfs", "convert --records")
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        commands = {verb: [SPARKPROF, *verb.split(), self.folder / "pipe"] for verb in (*verbs, "convert --format json")}
        running = {verb: self.start(*command, **pipes) for verb, command in commands.items()}
        for arguments, process in running.items():
            _, said = process.communicate(timeout=DEADLINE)
            self.assertEqual(process.returncode, 2, arguments)
            self.assertRegex(said, "no program opened this pipe|not a regular file|expected", arguments)


@unittest.skipUnless(os.geteuid() == 0, "only root can act as another user")
class Planted(TestCase):
    """A shared folder like /tmp, in which an attacker has put something under the names that sparkprof will use."""

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        (self.folder / "log").write_bytes(made_log("2 duration=1000"))
        self.victim = self.folder / "victim"
        self.victim.write_text("victim")
        self.shared = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        self.shared.chmod(0o1777)

    def plants(self, path):
        return {
            "link": lambda: os.symlink(self.victim, path),
            "dangling link": lambda: os.symlink(self.folder / "dangling", path),
            "link to a folder": lambda: os.symlink(self.folder, path),
            "pipe": lambda: os.mkfifo(path, 0o666),
            "folder": lambda: os.mkdir(path, 0o777),
            "file": lambda: path.write_text("planted"),
        }

    def assert_unharmed(self, what):
        self.assertEqual(self.victim.read_text(), "victim", what)
        self.assertFalse((self.folder / "dangling").exists(), what)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"log", "victim", self.shared.name}, what)

    def test_outputs_of_verbs(self):
        for name in ("r.html", "r.sprof", "csv"):
            path = self.shared / name
            option = "--csv-dir" if name == "csv" else "-o"
            for what in self.plants(path):
                as_attacker(self.plants(path)[what])
                report = [] if name == "r.html" else ["--no-report"]
                result = sparkprof("analyze", self.folder / "log", *report, option, path, code=None)
                if result.returncode != 0:
                    self.assertEqual(result.returncode, 2, (name, what, result))
                    self.assertIn(str(path), result.stderr)
                self.assert_unharmed((name, what))
                execute("rm", "-rf", path)

    def test_temporary_names_of_earlier_versions(self):
        """OUT.part-PID was followed: every PID that the command can get is planted."""
        last = int(pathlib.Path("/proc/sys/kernel/ns_last_pid").read_text())
        path = self.shared / "r.sprof"
        as_attacker(lambda: [os.symlink(self.victim, f"{path}.part-{pid}") for pid in range(last, last + 500)])
        sparkprof("analyze", self.folder / "log", "--no-report", "-o", path)
        self.assertEqual(path.read_bytes()[:4], b"SPRF")
        self.assert_unharmed("part")

    def test_the_output_folder_of_a_run(self):
        output = self.shared / "run"
        as_attacker(lambda: os.symlink(self.folder, output))
        sparkprof("run", "--output-dir", output, "--", "python3", "-c", "pass", code=2)
        self.assert_unharmed("run")
