# SPDX-License-Identifier: Apache-2.0
"""accept.py FILE…: rewrites EXIT, EXPECT and STDERR of the cases that fail, to what the program prints now. Review the
difference before you commit it. Lines with {{…}} and all other expectations stay as they are."""

import pathlib
import sys

from case_file import INDENT, KEYWORDS, read_cases
from run_case import run_case


def written(keyword, lines):
    return [f"{keyword} {lines[0]}".rstrip()] if len(lines) == 1 and lines[0] else [keyword, *(INDENT + line for line in lines)]


def accepted(case, lines):
    """The lines of one case with what it prints now."""
    outcome = run_case(case)
    if outcome.broken or not outcome.problems:
        return lines
    now = {
        "EXIT": [str(outcome.exit_code)] if outcome.exit_code else None,
        "EXPECT": outcome.out.splitlines(),
        "STDERR": outcome.err.splitlines() or None,
    }
    result, skips = [], False
    for line in lines:
        keyword = line.partition(" ")[0]
        skips = skips and line.startswith(INDENT)
        if keyword in now and not any("{{" in part for part in case.parts[keyword]):
            skips = True
            if now[keyword] is not None:
                result += written(keyword, now.pop(keyword))
        elif not skips:
            result.append(line)
    for keyword in ("STDERR", "EXIT"):
        if now.get(keyword) and keyword not in case.parts:
            at = next(index for index, line in enumerate(result) if line.startswith("RUN"))
            after = next((i for i in range(at + 1, len(result)) if not result[i].startswith(INDENT)), len(result))
            result[after:after] = written(keyword, now[keyword])
    return result


def accept(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8").split("\n")
    for case in reversed(read_cases(path)):
        begin = int(case.place.rpartition(":")[2]) - 1
        end = next((i for i in range(begin + 1, len(lines)) if lines[i].partition(" ")[0] == KEYWORDS[0]), len(lines))
        lines[begin:end] = accepted(case, lines[begin:end])
    pathlib.Path(path).write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for name in sys.argv[1:]:
        accept(name)
