# SPDX-License-Identifier: Apache-2.0
"""Reads files of cases; README.md describes the format."""

import dataclasses
import pathlib
import re

ONCE = ("PEER", "RUN", "EXIT", "EXPECT", "CONTAINS", "ABSENT", "JSON", "STDERR", "FILES")
KEYWORDS = ("NAME", "INPUT", "BEFORE", *ONCE)
INDENT = "    "


class CaseError(Exception):
    """A file of cases that cannot be read: the message names file and line."""


@dataclasses.dataclass
class Case:
    name: str
    place: str  # file:line
    inputs: dict[str, str]
    before: list[str]
    parts: dict[str, list[str]] = dataclasses.field(default_factory=dict)

    @property
    def exit_code(self):
        return int(self.parts.get("EXIT", ["0"])[0])


def blocks(path):
    """Yields (line number, keyword, lines of its text): the rest of the keyword's line, then the indented ones below."""
    current = None
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").split("\n"), 1):
        if current and line.startswith(INDENT):
            current[2].append(line.removeprefix(INDENT))
            continue
        if not line.strip() or line.startswith("#"):
            continue
        if current:
            yield current
        keyword, _, rest = line.partition(" ")
        if keyword not in KEYWORDS:
            raise CaseError(f"{path}:{number}: {keyword!r} is not a keyword; use one of {', '.join(KEYWORDS)}, or indent text by 4 spaces")
        current = (number, keyword, [rest] if rest else [])
    if current:
        yield current


def read_cases(path):
    """The cases of a file, in order. INPUT and BEFORE above the first NAME belong to every case."""
    shared = Case("", str(path), {}, [])
    case, cases = shared, []
    for number, keyword, lines in blocks(path):
        place = f"{path}:{number}"
        if keyword == "NAME":
            if len(lines) != 1:
                raise CaseError(f"{place}: NAME takes one line")
            if any(lines[0] == other.name for other in cases):
                raise CaseError(f"{place}: there is already a case named {lines[0]!r}")
            case = Case(lines[0], place, dict(shared.inputs), list(shared.before))
            cases.append(case)
        elif keyword == "INPUT":
            if not lines:
                raise CaseError(f"{place}: INPUT needs the name of a file")
            case.inputs[lines[0]] = "".join(line + "\n" for line in lines[1:])
        elif keyword == "BEFORE":
            case.before += lines
        elif case is shared:
            raise CaseError(f"{place}: {keyword} before the first NAME")
        elif keyword in case.parts:
            raise CaseError(f"{place}: {keyword} occurs twice in {case.name!r}")
        elif keyword == "EXIT" and not re.fullmatch(r"\d+", " ".join(lines)):
            raise CaseError(f"{place}: EXIT takes a number")
        else:
            case.parts[keyword] = lines
    for case in cases:
        if not case.parts.get("RUN"):
            raise CaseError(f"{case.place}: {case.name!r} has no RUN")
        if case.parts.keys() <= {"PEER", "RUN"}:
            raise CaseError(f"{case.place}: {case.name!r} expects nothing")
    return cases
