# SPDX-License-Identifier: Apache-2.0
"""One table of exit codes over all commands: docs/for-machines.md."""

import json
import os
import subprocess

from run_case import PROGRAM
from support import OLD_RECORDING, REPOSITORY, TestCase, execute
from test_options import commands

ANSWERED, NO, USAGE = 0, 1, 2
# The arguments with which each command reads INPUT and prints an answer. Others have no input of this kind.
READERS = {
    "analyze": ["--no-report", "INPUT"],
    "findings": ["INPUT"],
    "show": ["stages", "INPUT"],
    "flame": ["INPUT", "-o", "-"],
    "report": ["INPUT"],
    "info": ["INPUT"],
    "logs": ["INPUT"],
    "compare": ["INPUT", "INPUT"],
    "whatif": ["INPUT", "--cores", "8"],
    "diff": ["INPUT", "INPUT"],
    "tune": ["INPUT"],
    "convert": ["INPUT", "--format", "collapsed", "-o", "-"],
}
# Commands that must end before they start a job or a server, with the mistake that they name.
MISUSES = {
    "prove -- true": "expected a change",
    "prove --change a=b": "expected the job's command",
    "prove --change nothing -- true": "expected KEY=VALUE",
    "prove --finding skew-4.0 --from missing -- true": "missing: cannot open",
    "prove --baseline missing --change spark.a.b=1 -- true": "--baseline missing",
    "run --auto -- true": "expected --from FOLDER",
    "run --auto --from . --auto-policy missing -- true": "missing: cannot open",
    "run --auto --from . --auto-policy policy.yaml -- true": "policy.yaml:1:",
    "serve --auto-policy policy.yaml --listen 127.0.0.1:0": "policy.yaml:1:",
    "serve --inject --listen 127.0.0.1:0": "add --tls-cert and --tls-key",
    "serve --inject --tls-cert missing --tls-key missing --listen 127.0.0.1:0": "--inject requires --inject-image",
    "serve --store ftp://host --listen 127.0.0.1:0": "unsupported storage 'ftp'",
    "serve --store file:store --node-address a/b --listen 127.0.0.1:0": "--node-address",
    "collector move --data missing": "move requires --store",
    "collector verify --data missing": "not a data folder of `sparkprof serve`",
    "collector rebuild --store file:///missing": "rebuild is for --data",
}
WITHOUT_INPUT = "run attach monitor top open serve push collector suite fleet mcp doctor completion manual prove"


class ExitCodesTest(TestCase):
    def setUp(self):
        super().setUp()
        (self.folder / "notes.txt").write_text("Nothing of Spark.\nOnly two lines.\n")
        (self.folder / "empty").write_bytes(b"")
        (self.folder / "empty.sprof").write_bytes(b"")
        (self.folder / "empty-folder").mkdir()
        (self.folder / "bytes.bin").write_bytes(bytes(range(256)) * 8)
        self.verbs = {command["name"]: {name for option in command["options"] for name in option["names"]} for command in commands()}

    def run_verb(self, verb, arguments, path):
        words = [path if word == "INPUT" else word for word in arguments]
        return execute(PROGRAM, verb, *words, code=None, text=False, cwd=self.folder, stdin=subprocess.DEVNULL, timeout=60)

    def check(self, path, expected):
        for verb, arguments in READERS.items():
            for more in [[], ["--json"]] if "--json" in self.verbs[verb] and verb != "convert" else [[]]:
                done = self.run_verb(verb, arguments + more, path)
                with self.subTest(verb=verb, more=more, path=path):
                    self.assertEqual(done.returncode, expected, done.stderr.decode())
                    # The output of `analyze` lists what was not read.
                    self.assertTrue(done.stderr.startswith(b"sparkprof: ") or verb == "analyze")
                    # Standard output is for the answer.
                    self.assertNotIn(b"\0", done.stdout)

    def test_every_command_is_in_the_table_of_this_test(self):
        self.assertLessEqual(set(self.verbs), set(READERS) | set(WITHOUT_INPUT.split()))

    def test_an_answer(self):
        for verb, arguments in READERS.items():
            if verb not in ("logs", "tune"):  # it has neither logs nor memory to tune
                with self.subTest(verb=verb):
                    done = self.run_verb(verb, arguments, OLD_RECORDING)
                    self.assertEqual(done.returncode, ANSWERED, done.stderr.decode())

    def test_nothing_to_answer_from(self):
        for name in ("empty", "empty.sprof", "empty-folder", "bytes.bin"):
            self.check(name, NO)

    def test_no_data_of_spark(self):
        # It is a text that `logs` prints.
        done = self.run_verb("logs", ["INPUT"], "notes.txt")
        self.assertEqual(done.returncode, ANSWERED)
        arguments = READERS.pop("logs")
        self.addCleanup(READERS.setdefault, "logs", arguments)
        self.check("notes.txt", NO)

    def test_no_such_rows(self):
        for more in ([], ["--json"], ["--csv"]):
            for question in (["streaming", "INPUT"], ["stages", "INPUT", "--where", "stageId = 4711"]):
                done = self.run_verb("show", [*question, *more], OLD_RECORDING)
                with self.subTest(question=question, more=more):
                    self.assertEqual(done.returncode, NO, done.stderr.decode())
                    self.assertNotEqual(done.stderr, b"")
                    if more == ["--json"]:
                        self.assertEqual(json.loads(done.stdout), [])

    def test_a_missing_input(self):
        self.check("missing", USAGE)
        self.check("missing.sprof", USAGE)

    def test_an_input_that_may_not_be_read(self):
        if os.geteuid() == 0:
            self.skipTest("root may read everything")
        secret = self.folder / "secret.log"
        secret.write_text("x\n")
        secret.chmod(0)
        self.check("secret.log", USAGE)

    def test_wrong_usage(self):
        for verb in self.verbs:
            done = self.run_verb(verb, ["--no-such-option"], "")
            with self.subTest(verb=verb):
                self.assertEqual(done.returncode, USAGE)
                self.assertIn(b"unknown option --no-such-option", done.stderr)

    def test_wrong_usage_of_what_runs_jobs_and_servers(self):
        (self.folder / "policy.yaml").write_text("settings: [")
        for words, complaint in MISUSES.items():
            with self.subTest(command=words):
                done = execute(PROGRAM, *words.split(), code=USAGE, cwd=self.folder, stdin=subprocess.DEVNULL, timeout=60)
                self.assertIn(complaint, done.stderr)

    def test_the_documentation_has_the_table(self):
        text = (REPOSITORY / "docs" / "for-machines.md").read_text()
        for code in (ANSWERED, NO, USAGE):
            self.assertRegex(text, rf"(?m)^\| {code} \| ")


class MisuseTest(TestCase):
    """A message names the mistake, not what follows from it."""

    def complaint(self, *arguments):
        return execute(PROGRAM, *arguments, code=USAGE, cwd=self.folder).stderr

    def test_a_misspelled_option_is_named_before_what_is_missing(self):
        self.assertIn("unknown option --hlep; did you mean --help?", self.complaint("--hlep"))
        for verb in ("findings", "show", "compare", "run"):
            self.assertIn("unknown option --hlep; did you mean --help?", self.complaint(verb, "--hlep"))

    def test_an_input_in_place_of_a_table(self):
        (self.folder / "r.sprof").write_bytes(OLD_RECORDING.read_bytes())
        self.assertIn("r.sprof is an input; name a table before it", self.complaint("show", "r.sprof"))

    def test_a_file_that_is_missing_is_named_before_the_format_of_the_output(self):
        self.assertIn("nofile: cannot open: No such file", self.complaint("convert", "nofile"))

    def test_a_text_in_place_of_a_number(self):
        for option in ("--cores", "--executors"):
            self.assertIn(f'{option}: "abc" is not a number', self.complaint("compare", OLD_RECORDING, option, "abc"))
        self.assertIn("must be from 1 to 10000", self.complaint("compare", OLD_RECORDING, "--cores", "0"))
