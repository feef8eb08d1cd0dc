#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Includes between the rooms of a library go down.

CMake enforces the direction between libraries. Inside a large library, this list does: a file may include the rooms before its own.
"." stands for the files outside any room. Tests, and helpers of tests, may include everything. Prints each include that goes up, and
exits 1 if there is one.
"""

import re
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"
ROOMS = {
    "analysis": [
        "plans",
        "selection",
        "machines",
        "time",
        "python",
        "owners",
        "account",
        "findings",
        "tables",
        "costs",
        ".",
        "comparison",
        "tuning",
    ],
    "server": ["access", "shared", "folders", "ingest", "runs", "proofs", "applications", "querier", "upkeep", ". routes"],
}


def main():
    wrong = []
    for library, rooms in ROOMS.items():
        place = {name: level for level, names in enumerate(rooms) for name in names.split()}
        for path in sorted((SOURCE / library).rglob("*.[ch]*")):
            room = path.relative_to(SOURCE / library).parts[0] if path.parent != SOURCE / library else "."
            if room == "testing" or path.stem.endswith("_test") or "testing" in path.parts:
                continue
            if room not in place:
                wrong.append(f"{path.relative_to(SOURCE)}: the room {room} is not in the list of {Path(__file__).name}")
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                included = re.match(rf'#include "{library}/(?:([a-z_]+)/)?[a-z_]+\.h"', line)
                if included and place[included[1] or "."] > place[room]:
                    wrong.append(f"{path.relative_to(SOURCE)}:{number}: {room} includes {included[1] or 'the root'}")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
