# SPDX-License-Identifier: Apache-2.0
"""Which small changes of the C++ no test detects; `make mutants` runs it."""

import argparse
import collections
import os
import pathlib
import random
import subprocess
import sys

from build_tree import BuildTree
from mutations import described, mutations

LIBRARY, CASES, SURVIVED, INVALID = "library", "cases", "survived", "does not compile"


REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
COPY = REPOSITORY / "build" / "mutants"


def copy_sources():
    """Only what differs, so that only that is compiled again."""
    listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=REPOSITORY, capture_output=True, check=True)
    names = {os.fsdecode(name) for name in listed.stdout.split(b"\0") if name}
    # The page becomes part of the command.
    names |= {str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "web" / "dist").iterdir()}
    names = {name for name in names if (REPOSITORY / name).is_file()}
    for old in [path for path in COPY.rglob("*") if path.is_file() and path.relative_to(COPY).parts[0] != "build"]:
        if str(old.relative_to(COPY)) not in names:
            old.unlink()
    for name in names:
        source, target = REPOSITORY / name, COPY / name
        if not target.is_file() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)


def build():
    jobs = os.environ.get("JOBS", "2")
    for command in (["cmake", "--preset", "release", "-DCMAKE_UNITY_BUILD=OFF"], ["cmake", "--build", "--preset", "release", "-j", jobs]):
        done = subprocess.run(command, cwd=COPY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"mutants: {' '.join(command)} failed in {COPY}\n{done.stdout[-3000:]}")


def candidates(tree, only):
    """All mutations as (source, mutation), in an order that depends on the tree alone."""
    for source in tree.sources():
        if only in source:
            text = (tree.root / source).read_text(encoding="utf-8")
            yield from ((source, mutation) for mutation in mutations(text))


def outcome(tree, source):
    """The tests that detect the change in the file: the tests of its library, or else the cases."""
    if not tree.compiles(source):
        return INVALID
    programs = tree.tests_of(source)
    # A program that cannot list its tests fails while it is linked.
    if not tree.links(*programs) or not all(tree.holds(program) for program in programs):
        return LIBRARY
    return SURVIVED if tree.links("sparkprof") and tree.cases_hold() else CASES


def try_mutation(tree, source, mutation):
    path = tree.root / source
    text = path.read_text(encoding="utf-8")
    try:
        path.write_text(text[: mutation.begin] + mutation.text + text[mutation.end :], encoding="utf-8")
        return outcome(tree, source)
    finally:
        path.write_text(text, encoding="utf-8")


def check_unchanged(tree):
    """Every test must hold before anything is changed; it also measures how long each takes."""
    for program in tree.inputs:
        if not tree.holds(program):
            sys.exit(f"mutants: {program} fails on the unchanged tree")
    if not tree.cases_hold():
        sys.exit("mutants: tests/cases fail on the unchanged tree")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=90, help="percent that must be detected")
    parser.add_argument("--only", default="", help="files whose path contains this")
    arguments = parser.parse_args()
    os.environ.update(CCACHE_BASEDIR=str(COPY), CCACHE_NOHASHDIR="true")
    copy_sources()
    build()
    tree = BuildTree(COPY)
    check_unchanged(tree)
    places = list(candidates(tree, arguments.only))
    random.Random(arguments.seed).shuffle(places)
    totals, survivors = collections.Counter(), []
    for source, mutation in places:
        if totals.total() - totals[INVALID] >= arguments.count:
            break
        line, before, after = described((tree.root / source).read_text(encoding="utf-8"), mutation)
        result = try_mutation(tree, source, mutation)
        totals[result] += 1
        text = f"{source}:{line}: {mutation.kind}\n    {before}\n    {after}"
        print(f"{totals.total()} {result}: {text}", flush=True)
        if result == SURVIVED:
            survivors.append(text)
    tried = totals.total() - totals[INVALID]
    if tried == 0:
        sys.exit(f"mutants: nothing to change in files named {arguments.only!r}")
    share = 100 * (tried - totals[SURVIVED]) / tried
    print(f"\n{len(survivors)} survivors:", *survivors, sep="\n")
    print(f"{tried} mutants, {share:.1f} % detected: {totals[LIBRARY]} by the tests of their library, {totals[CASES]} by tests/cases")
    sys.exit(share < arguments.least)


if __name__ == "__main__":
    main()
