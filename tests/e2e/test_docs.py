# SPDX-License-Identifier: Apache-2.0
"""The documentation agrees with the tree and the command line, and follows docs/style.md where a pattern can tell."""

import functools
import json
import re
import shlex
import unittest

from support import REPOSITORY, execute, json_of, sparkprof

DOCS = REPOSITORY / "docs"

# Phrases that docs/style.md rules out. Code, headings and questions are not checked.
REJECTED = [
    r"(?<!here )\b(?:is|are|was|were) no (?!longer|more)[a-z]",
    r"\b(?:sparkprof|plugin|agent|JVM|page|report|reader|program|format|kernel|log|line|message|file|option|name|that) "
    r"(?:says?|tells?|knows?|looks? at|asks?)\b",
    r"(?:^|[.:;] )(?:What|Whose) [^?]*$",
    r"\b(?:[Cc]olour|[Aa]nalys(?:e|ing)\b|[Ll]icence|[Bb]ehaviour|(?<!Overlay \()[Nn]ormalis|[Rr]ecognis|[Ss]erialis)",
]

# These describe the commands and are not in their own list.
ABOUT_COMMANDS = ("completion", "manual")


def pages():
    """All but the judgements of posted cases, which are records of what their author expected."""
    names = execute("git", "ls-files", "*.md", ":!tests/posted/*/*", cwd=REPOSITORY).stdout.split()
    return [REPOSITORY / name for name in names]


def anchors(page):
    """GitHub's anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def without_code(text):
    text = re.sub(r"^(?: {4}|\t).*$", "", text, flags=re.MULTILINE)
    return re.sub(r"`[^`]*`", "CODE", text)


def commands(text):
    """The arguments of each `sparkprof …` in code, up to a pipe, a comment or the job's own command."""
    text = text.replace("\\\n", " ")
    code = re.findall(r"^ {4,}(.*)$", text, re.MULTILINE) + re.findall(r"`([^`\n]+)`", text)
    for line in code:
        for match in re.finditer(r"(?:^|[|;] *|bin/)sparkprof ([^|;]+)", line.partition(" #")[0]):
            words = re.sub(r"[\[\]()…']", " ", match.group(1)).split()
            yield words[: words.index("--")] if "--" in words else words


@functools.cache
def help_text(*verb):
    return sparkprof(*verb, "--help").stdout


@functools.cache
def verbs():
    """{verb: names of its options}"""
    commands = json.loads(sparkprof("completion", "json").stdout)
    return {command["name"]: {name for option in command["options"] for name in option["names"]} for command in commands}


class DocsTest(unittest.TestCase):
    def test_every_relative_link_leads_to_a_file_and_a_heading(self):
        for page in pages():
            for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                file = (page.parent / path).resolve() if path else page
                with self.subTest(page=page.name, target=target):
                    self.assertTrue(file.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(file))

    def test_every_command_and_option_exists(self):
        self.assertIn("flame", verbs())
        for page in pages():
            for words in commands(page.read_text()):
                if not re.fullmatch(r"[a-z]+", words[0]) or words[0] in ABOUT_COMMANDS:
                    continue
                with self.subTest(page=page.name, command=shlex.join(words)):
                    self.assertIn(words[0], verbs())
                    used = {word.split("=")[0] for word in words[1:] if re.match(r"--?[A-Za-z]", word)}
                    self.assertLessEqual(used, verbs().get(words[0], used))

    def test_every_page_is_in_the_index(self):
        index = (DOCS / "README.md").read_text()
        for page in DOCS.glob("*.md"):
            if page.name != "README.md":
                with self.subTest(page=page.name):
                    self.assertIn(f"]({page.name})", index)

    def test_every_command_is_in_a_page(self):
        used = {words[0] for page in DOCS.glob("*.md") for words in commands(page.read_text())}
        self.assertLessEqual(set(verbs()), used)

    def test_every_format_is_described(self):
        inputs = (DOCS / "flame-graphs.md").read_text().partition("## Output")[0]
        for entry in json_of("convert", "--formats")["read"]:
            with self.subTest(format=entry["name"]):
                self.assertRegex(inputs, rf"(?m)^\|[^|]*`{re.escape(entry['name'])}`[^|]*\|")

    def test_every_finding_is_described(self):
        rules = (REPOSITORY / "src" / "analysis" / "findings" / "rules.h").read_text()
        known = re.findall(r'\{"([a-z-]+)", Find', rules)
        self.assertIn("skew", known)
        described = re.findall(r"(?m)^\| `([a-z-]+)` \|", (DOCS / "findings.md").read_text())
        self.assertLessEqual(set(known), set(described))

    def test_documentation_is_free_of_rejected_phrases(self):
        for page in pages():
            if page.name == "style.md":
                continue
            for number, line in enumerate(without_code(page.read_text()).splitlines(), 1):
                if not line.startswith("#"):
                    self.check_phrases(f"{page.relative_to(REPOSITORY)}:{number}", line)

    def test_help_is_free_of_rejected_phrases(self):
        for verb in ["", *verbs()]:
            for line in help_text(*verb.split()).splitlines():
                self.check_phrases(f"sparkprof {verb} --help", re.sub(r"--?\w[\w-]*", "", line))

    def check_phrases(self, place, line):
        for pattern in REJECTED:
            with self.subTest(place=place, line=line):
                self.assertNotRegex(line, pattern)
