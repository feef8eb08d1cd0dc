#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists comments that docs/style.md rejects, of all languages: those without a subject, and verbs that programs do not do.

Prints PATH:LINE: text for each. Exits 1 when there is one. scripts/lint runs it."""

import pathlib
import re
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SLASHES = (".cc", ".h", ".java", ".ts", ".tsx")
SUBJECTS = "sparkprof|plugin|agent|JVM|page|report|reader|program|format|kernel|log|line|message|file|option|name|server|Spark"
# Each pattern with its reason.
REJECTED = {
    r"^(?:Of|What|As|Those|Who|Whose) (?!\w+ as )": "opens without its subject",
    rf"\b(?:{SUBJECTS}) (?:says?|tells?|knows?|looks? at)\b": "a program reports, shows, detects or reads",
    r"(?i)\b\w*(?:colour|neighbour|behaviour|favourite|honour)|\b\w*(?:recognis|normalis|serialis|initialis|summaris)": "American English",
}
# A comment behind code names what the code does not: "// share of the input", not "// of the input".
TRAILING = re.compile(r"""\S\s+(?://|#) (?:of|that|what|which|whose) [^"'`]*$""")
IGNORED = ("cmake/portable/", "tests/language/")


def comments(path, text):
    """Line number and text of each comment that has lines of its own; consecutive lines are one."""
    start = r"\s*(?://+|/\*+|\*(?!/))" if path.endswith(SLASHES) else r"\s*#"
    found, in_docstring = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if path.endswith(".py") and (in_docstring or re.match(r'\s*"""', line)):
            marks = line.count('"""')
            body = line.replace('"""', "").strip()
            (found[-1][1].append(body) if in_docstring else found.append((number, [body])))
            in_docstring = (marks % 2 == 1) != in_docstring
            last = None
            continue
        match = re.match(start, line)
        if match is None:
            last = None
            continue
        body = line[match.end() :].replace("*/", "").strip()
        if found and last == number - 1:
            found[-1][1].append(body)
        else:
            found.append((number, [body]))
        last = number
    return [(number, " ".join(lines).strip()) for number, lines in found]


def main():
    listed = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.split("\n")
    rejected = 0
    for path in listed:
        is_script = path.startswith("scripts/") and "." not in path
        if path.startswith(IGNORED) or not (path.endswith((*SLASHES, ".py")) or is_script) or not (REPOSITORY / path).is_file():
            continue
        content = (REPOSITORY / path).read_text(encoding="utf-8")
        for number, line in enumerate(content.splitlines(), 1):
            if TRAILING.search(line):
                print(f"{path}:{number}: opens without its subject: {line.strip()[:100]}")
                rejected += 1
        for number, text in comments(path, content):
            for pattern, reason in REJECTED.items():
                if re.search(pattern, text):
                    print(f"{path}:{number}: {reason}: {text[:100]}")
                    rejected += 1
    return 1 if rejected else 0


if __name__ == "__main__":
    sys.exit(main())
