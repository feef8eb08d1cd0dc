# SPDX-License-Identifier: Apache-2.0
"""Which share of each source file's lines ran, by what gcov wrote; `make coverage` runs it."""

import argparse
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BATCH = 50  # data files for each run of gcov


def is_covered(source):
    return source.startswith(("src/", "apps/")) and not source.endswith("_test.cc") and "/testing/" not in source


def counts(folder):
    """{source: {line: times it ran}} over all programs."""
    data = sorted(str(path.resolve()) for path in pathlib.Path(folder).rglob("*.gcda"))
    if not data:
        sys.exit(f"coverage: {folder} has no .gcda file; build it with --coverage and run its tests first")
    ran = collections.defaultdict(collections.Counter)
    for begin in range(0, len(data), BATCH):
        command = ["gcov", "--json-format", "--stdout", *data[begin : begin + BATCH]]
        for document in subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.splitlines():
            for file in json.loads(document)["files"]:
                path = pathlib.Path(folder, file["file"]).resolve()
                source = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else ""
                if is_covered(source):
                    for line in file["lines"]:
                        ran[source][line["line_number"]] += line["count"]
    return ran


def ranges(lines):
    """ "3, 7-9": sorted line numbers in short."""
    runs = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="a build tree")
    parser.add_argument("--least", type=float, default=80, help="percent of each file's lines")
    arguments = parser.parse_args()
    ran = counts(arguments.folder)
    rows = sorted((100 * sum(map(bool, lines.values())) / len(lines), source) for source, lines in ran.items())
    for share, source in rows:
        never = ranges(line for line, count in sorted(ran[source].items()) if not count)
        print(f"{share:5.1f} %  {source}" + (f"  never: {never}" if share < arguments.least else ""))
    lines = [count for source in ran.values() for count in source.values()]
    few = [source for share, source in rows if share < arguments.least]
    print(
        f"{100 * sum(map(bool, lines)) / len(lines):5.1f} %  of {len(lines)} lines in {len(rows)} files; {len(few)} files below {arguments.least:g} %"
    )
    sys.exit(bool(few))


if __name__ == "__main__":
    main()
