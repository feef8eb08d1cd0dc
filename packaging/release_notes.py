#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""release_notes.py VERSION: prints the section of CHANGELOG.md about that version, or the unreleased one at its top."""

import pathlib
import re
import sys

CHANGELOG = pathlib.Path(__file__).resolve().parent.parent / "CHANGELOG.md"


def section(changelog, version):
    """The text below the heading "## VERSION", else below the first heading if that is marked as unreleased."""
    parts = re.split(r"^## (.+)\n", changelog, flags=re.MULTILINE)
    sections = list(zip(parts[1::2], parts[2::2], strict=True))
    for heading, text in sections:
        if heading.split()[0] == version:
            return text.strip()
    if sections and "(unreleased)" in sections[0][0]:
        return sections[0][1].strip()
    raise SystemExit(f"release_notes: CHANGELOG.md has no section {version} and none that is unreleased; add one")


def main():
    version = sys.argv[1]
    print(f"# sparkprof {version}\n\n{section(CHANGELOG.read_text(), version)}")


if __name__ == "__main__":
    main()
