# SPDX-License-Identifier: Apache-2.0
"""The commands as one command line: an option means the same in all of them, and each command has an example."""

import collections
import functools
import json
import os
import re
import shutil
import unittest

from run_case import PROGRAM
from support import TestCase, execute
from terminal import on_terminal

GROUPS = ["Profile", "Inspect", "Many applications", "Tools"]
MOST_COMMANDS = 23
DRIVER_LOG = """\
24/01/15 12:00:00 INFO SparkContext: Running Spark version 3.5.1
24/01/15 12:00:01 INFO DAGScheduler: Got job 0 (count at Job.scala:12) with 1 output partitions
24/01/15 12:00:01 INFO DAGScheduler: Final stage: ResultStage 0 (count at Job.scala:12)
24/01/15 12:00:02 INFO TaskSetManager: Starting task 0.0 in stage 0.0 (TID 0) (h1, executor 1, partition 0, PROCESS_LOCAL, 7900 bytes)
24/01/15 12:00:04 INFO TaskSetManager: Finished task 0.0 in stage 0.0 (TID 0) in 2000 ms on h1 (executor 1) (1/1)
24/01/15 12:00:04 INFO DAGScheduler: Job 0 finished: count at Job.scala:12, took 3.000000 s
24/01/15 12:00:30 INFO SparkContext: Successfully stopped SparkContext
"""


@functools.cache
def commands():
    return json.loads(printed("completion", "json"))


def printed(*arguments):
    return execute(PROGRAM, *arguments).stdout


def shown(*arguments, strip=True, **options):
    """What a terminal shows of a command."""
    return on_terminal(*arguments, errors=True, strip=strip, **options)[1]


def completed(*words):
    """Completions that bash offers for the last word."""
    script = 'source /dev/stdin <<<"$SCRIPT"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sparkprof 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"'
    shell = ["bash", "--norc", "-c", script, "bash", "sparkprof", *words]
    return execute(*shell, env=os.environ | {"SCRIPT": printed("completion", "bash")}).stdout.split()


def meaning(option):
    """The first clause of the purpose; what follows may be about one command."""
    return re.split(r"[;(:]", option["purpose"])[0].strip()


class OptionsTest(unittest.TestCase):
    def test_an_option_has_one_meaning_and_one_type(self):
        uses = collections.defaultdict(lambda: collections.defaultdict(list))
        for command in commands():
            for option in command["options"]:
                for name in option["names"]:
                    uses[name][meaning(option), option["type"]].append(command["name"])
        for name, meanings in sorted(uses.items()):
            with self.subTest(option=name):
                # The inputs of `prove --finding` and `run --auto`, by their contract for scripts.
                meanings = {meaning: names for meaning, names in meanings.items() if name != "--from" or not set(names) <= {"prove", "run"}}
                self.assertEqual(len(meanings), 1, meanings)

    def test_the_values_of_options_have_names(self):
        for command in commands():
            for option in command["options"]:
                with self.subTest(command=command["name"], option=option["names"][0]):
                    self.assertNotIn(option["type"], ("TEXT ...", "INT", "UINT", "FLOAT", "BOOLEAN"))

    def test_choices_are_words(self):
        for command in commands():
            for option in command["options"] + command["arguments"]:
                for choice in option["choices"]:
                    with self.subTest(command=command["name"], choice=choice):
                        self.assertRegex(choice, r"^[\w-]+$")

    def test_times_and_outputs(self):
        for command in commands():
            types = {name: option["type"] for option in command["options"] for name in option["names"]}
            if command["name"] in ("prove", "run"):
                del types["--from"]
            for name, type_name in {"--from": "TIME", "--to": "TIME", "-o": "FILE", "--event": "EVENT", "--output-dir": "DIR"}.items():
                with self.subTest(command=command["name"], option=name):
                    self.assertEqual(types.get(name, type_name), type_name)

    def test_commands_are_few_and_in_groups(self):
        listed = re.findall(r"^  ([a-z]+)  ", printed("--help"), re.MULTILINE)
        self.assertIn("report", listed)
        self.assertLessEqual(len(listed), MOST_COMMANDS)
        for command in commands():
            self.assertTrue(command["name"] in listed or f"`sparkprof {command['name']}`" in " ".join(printed("--help").split()))
        groups = [command["group"] for command in commands()]
        self.assertEqual(groups, sorted(groups, key=GROUPS.index))

    def test_each_command_has_an_example_of_its_own(self):
        for command in commands():
            with self.subTest(command=command["name"]):
                self.assertTrue(any(f"sparkprof {command['name']}" in example for example in command["examples"]))


class ActionsTest(unittest.TestCase):
    """`sparkprof suite run --help` is about `run` alone."""

    def actions(self):
        for command in commands():
            for argument in command["arguments"]:
                if argument["type"] == "ACTION":
                    yield command, argument["choices"]

    def test_each_option_is_in_the_help_of_an_action_and_each_action_has_its_own(self):
        self.assertEqual([command["name"] for command, _ in self.actions()], ["collector", "suite", "fleet"])
        for command, names in self.actions():
            helps = {name: printed(command["name"], name, "--help") for name in names}
            found = set()
            for name, text in helps.items():
                with self.subTest(command=command["name"], action=name):
                    self.assertRegex(text, rf"(?m)^Usage: sparkprof {command['name']} {name} \[OPTIONS\]")
                    self.assertNotRegex(text, r"(?m)^ +(ACTION|PATH|CHANGE +With)\b")
                    self.assertNotRegex(" ".join(text.split()), rf"; of ({'|'.join(names)})\b")
                    others = [example for example in command["examples"] if not example.startswith(f"sparkprof {command['name']} {name} ")]
                    self.assertFalse([example for example in others if example in text])
                    found |= set(re.findall(r"--[a-z-]+", text))
            self.assertLessEqual({next(name for name in option["names"] if name.startswith("--")) for option in command["options"]}, found)
            self.assertEqual(len(set(helps.values())), len(names))

    def test_the_help_of_an_action_lacks_the_options_of_others(self):
        text = printed("suite", "run", "--help")
        self.assertIn("--output-dir", text)
        self.assertNotIn("--against", text)
        self.assertIn("The run to compare with", printed("suite", "check", "--help"))
        self.assertIn("Usage: sparkprof collector configure [OPTIONS] [CHANGE…]\n", printed("collector", "configure", "--help"))


class CompletionTest(TestCase):
    def test_bash_completes_commands_options_and_values(self):
        self.assertEqual(completed("fla"), ["flame"])
        self.assertEqual(completed("flame", "--sta"), ["--stage", "--state"])
        self.assertEqual(completed("flame", "--format", "speed"), ["speedscope"])
        self.assertEqual(completed("run", "--server", ""), [])
        self.assertEqual(completed("findings", "--fail-on", "m"), ["medium"])
        self.assertEqual(completed("info", "--input-format", "pp"), ["pprof"])
        self.assertEqual(completed("flame", "--event", "wa"), ["wall"])
        self.assertEqual(completed("run", "--event", "cpu,al"), ["cpu,alloc"])
        self.assertNotIn("manual", completed(""))

    def test_bash_completes_tables_and_actions(self):
        self.assertEqual(completed("show", "stag"), ["stages"])
        self.assertIn("compare", completed("suite", ""))
        self.assertEqual(completed("collector", "ver"), ["verify"])
        self.assertEqual(completed("fleet", ""), ["analyze", "report", "check"])
        (self.folder / "a.sprof").touch()
        self.assertEqual(completed("show", "stages", f"{self.folder}/"), [f"{self.folder}/a.sprof"])

    def test_bash_completes_files(self):
        (self.folder / "a b.sprof").touch()
        (self.folder / "sub").mkdir()
        self.assertEqual(" ".join(completed("flame", f"{self.folder}/a")), f"{self.folder}/a b.sprof")
        self.assertEqual(completed("analyze", "--csv-dir", f"{self.folder}/"), [f"{self.folder}/sub"])

    def test_each_script_is_accepted_by_its_shell(self):
        for shell, check in {"bash": ["-n"], "zsh": ["-n"], "fish": ["--no-execute"]}.items():
            script = printed("completion", shell)
            for command in commands():
                self.assertIn(command["name"], script, shell)
            if shutil.which(shell):
                execute(shell, *check, "/dev/stdin", input=script)


class ManualTest(TestCase):
    def test_each_command_has_a_page_that_groff_accepts(self):
        printed("manual", self.folder)
        pages = {path.name for path in self.folder.iterdir()}
        for command in commands():
            self.assertIn(f"sparkprof-{command['name']}.1", pages)
        if shutil.which("groff") is None:
            self.skipTest("groff is not installed")
        for page in self.folder.iterdir():
            with self.subTest(page=page.name):
                self.assertEqual(execute("groff", "-man", "-Tutf8", "-ww", page).stderr, "")


class HelpTest(unittest.TestCase):
    def test_help_fits_the_terminal(self):
        for width in (60, 80, 120):
            for command in ["", *(command["name"] for command in commands())]:
                text = shown(*command.split(), "--help", columns=width)
                body = text.partition("Examples:")[0]
                with self.subTest(command=command, width=width):
                    self.assertLessEqual(max(map(len, body.splitlines())), width)

    def test_headings_are_bold_on_a_terminal_only(self):
        self.assertIn("\033[1m", shown("--help", strip=False))
        self.assertNotIn("\033", shown("--help", strip=False, NO_COLOR="1"))
        self.assertNotIn("\033", printed("--help"))


class SummaryTest(TestCase):
    def setUp(self):
        super().setUp()
        self.log = self.folder / "driver.log"
        self.log.write_text(DRIVER_LOG, encoding="utf-8")

    def test_text_fits_the_terminal_and_begins_with_the_findings(self):
        for command in (["analyze", self.log, "--no-report"], ["findings", self.log]):
            text = shown(*command, columns=60)
            with self.subTest(command=command[0]):
                self.assertLessEqual(max(map(len, text.splitlines())), 60)
                self.assertIn("No job runs for", text)
        summary = shown("analyze", self.log, "--no-report", columns=60)
        self.assertLess(summary.index("Findings (1)"), summary.index("Where it went"))

    def test_severities_are_colored_on_a_terminal_only(self):
        command = ["findings", self.log]
        self.assertIn("\033[33mmedium", shown(*command, strip=False))
        self.assertNotIn("\033", shown(*command, strip=False, NO_COLOR="1"))
        self.assertNotIn("\033", printed(*command))

    def test_names_from_the_job_do_not_control_the_terminal(self):
        self.log.write_text(DRIVER_LOG.replace("count at", "count\033[2J at"), encoding="utf-8")
        self.assertNotIn("\033[2J", shown("analyze", self.log, "--no-report", strip=False))
