# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of options in docs/other-tools.md, its last part, from the cases with PEER: the command lines of other tools,
and those of sparkprof. A test compares the page with the cases."""

import pathlib

from case_file import read_cases

FOLDER = pathlib.Path(__file__).resolve().parent
PAGE = FOLDER.parents[1] / "docs" / "other-tools.md"
PROGRAM = "sparkprof "

# The first row of the first table. Everything above it is written by hand.
BEGIN = "| jfrconv | sparkprof | differences |"


def code(text):
    return "`" + text.strip() + "`"


def rows(case):
    """The cells of one case: what is typed there, what is typed here, what differs."""
    tool, typed, *note = case.parts["PEER"][0].replace(r"\|", "\0").split("|")
    run = case.parts["RUN"][0].removeprefix(PROGRAM).replace("|", "\0")
    cells = [code(typed), code(run), *(part.strip() for part in note)]
    return tool.strip(), [cell.replace("\0", r"\|") for cell in cells]


def page():
    tools = {}
    for case in read_cases(FOLDER / "peers.test"):
        if "PEER" in case.parts:
            tool, cells = rows(case)
            tools.setdefault(tool, []).append(cells)
    text = PAGE.read_text(encoding="utf-8").partition(BEGIN)[0].rstrip("\n") + "\n"
    for tool, lines in tools.items():
        text += f"\n| {tool} | sparkprof | differences |\n|---|---|---|\n"
        text += "".join(f"| {' | '.join(cells + [''] * (3 - len(cells)))} |\n".replace("|  |", "| |") for cells in lines)
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
