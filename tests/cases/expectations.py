# SPDX-License-Identifier: Apache-2.0
"""Compares what a case expects with what its command printed. Each check returns a readable problem, or None."""

import difflib
import json
import re

SHOWN = 3000  # bytes of a document
HOLE = re.compile(r"\{\{(.*?)\}\}")


def pattern(line):
    """Literal text, except that {{…}} is a regular expression."""
    parts = HOLE.split(line)
    return "".join(f"(?:{part})" if index % 2 else re.escape(part) for index, part in enumerate(parts))


def exact(what, expected, text):
    actual = text.splitlines()
    if len(actual) == len(expected) and all(re.fullmatch(pattern(e), a) for e, a in zip(expected, actual)):
        return None
    # A line that matches by its pattern is not part of the difference.
    shown = [a if i < len(actual) and re.fullmatch(pattern(e), a := actual[i]) else e for i, e in enumerate(expected)]
    return f"{what} differs:\n" + "\n".join(difflib.unified_diff(shown, actual, "expected", "printed", lineterm=""))


def contains(what, expected, text):
    """Each expected line is found within a line of the text, in order."""
    rest = text.splitlines()
    for line in expected:
        found = next((index for index, actual in enumerate(rest) if re.search(pattern(line), actual)), None)
        if found is None:
            return f"{what} has no line (in this order) with\n  {line}\nin\n{text}"
        rest = rest[found + 1 :]
    return None


def absent(what, unexpected, text):
    for line in unexpected:
        if re.search(pattern(line), text):
            return f"{what} contains\n  {line}\nin\n{text}"
    return None


def follow(document, path):
    """The value at a path such as applications[0].name or rows[*].id; raises LookupError where it leads nowhere."""
    first, every, rest = path.partition("[*]")
    for key, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", first):
        document = document[int(index)] if index else document[key]
    return [follow(element, rest) for element in document] if every else document


def json_values(expectations, text):
    """Each expectation is `PATH = VALUE` or `count(PATH) = NUMBER`; an empty PATH is the whole document."""
    try:
        document = json.loads(text)
    except ValueError as error:
        return f"standard output is not JSON: {error}\n{text}"
    problems = []
    for line in expectations:
        path, _, value = line.partition(" = ")
        counted = re.fullmatch(r"count\((.*)\)", path)
        try:
            actual = follow(document, counted[1] if counted else path)
            actual = len(actual) if counted else actual
        except (LookupError, TypeError):
            problems.append(f"no {path}")
            continue
        if actual != json.loads(value):
            problems.append(f"{path} = {json.dumps(actual, ensure_ascii=False)}, expected {value}")
    return "\n".join([*problems, "in", text[:SHOWN]]) if problems else None
