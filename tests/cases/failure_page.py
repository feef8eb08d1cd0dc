# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/known-failures.md, its last part, from those in failures/. A test compares the page with them."""

import pathlib

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs" / "known-failures.md"

# The first line of the tables. Everything above it is written by hand.
BEGIN = "\n<!-- tests/cases/failure_page.py writes what follows. -->\n"


def cell(text):
    return text.replace("|", r"\|").replace("<", "&lt;")


def step(text):
    """`KEY=VALUE` as code; an action, and words instead of a value, as they are."""
    key, is_setting, value = text.partition("=")
    if not is_setting or "." not in key or " " in key:
        return cell(text.rpartition("|")[2] if "{" in text else text)
    words = value.rpartition("|")[2]
    return f"`{key}={words}`" if " " not in words else f"`{key}`: {cell(words)}"


def sign(text):
    """The first sign, and how many others there are."""
    first, *others = text.split(" || ")
    quotes = "``" if "`" in first else "`"
    more = f", and {len(others)} more" if others else ""
    return f"{quotes}{first.replace('|', chr(92) + '|')}{quotes}{more}"


def page():
    text = PAGE.read_text(encoding="utf-8").partition(BEGIN)[0] + BEGIN
    for path in sorted((REPOSITORY / "failures").glob("*.tsv")):
        about, *rows = path.read_text(encoding="utf-8").splitlines()
        title = path.stem.replace("-", " ")
        text += f"\n## {title[0].upper()}{title[1:]}\n\n{about.removeprefix('# ')}\n\n"
        text += "| failure | recognized by | meaning | what to change |\n|---|---|---|---|\n"
        for row in rows:
            name, _, _, signs, means, remedy, *_ = row.split("\t")
            steps = "; ".join(step(one) for one in remedy.split(" || "))
            text += f"| `{name}` | {sign(signs)} | {cell(means)} | {steps} |\n"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
