# SPDX-License-Identifier: Apache-2.0
"""Which small changes of the C++ no test detects; scripts/mutants runs it in a copy of the tree."""
import argparse
import collections
import random
import sys

from build_tree import BuildTree
from mutations import described, mutations

LIBRARY, CASES, SURVIVED, INVALID = "library", "cases", "survived", "does not compile"


def candidates(tree, only):
    """All mutations as (source, mutation), in an order that depends on the tree alone."""
    for source in tree.sources():
        if only in source:
            text = (tree.root / source).read_text(encoding="utf-8")
            yield from ((source, mutation) for mutation in mutations(text))


def outcome(tree, source):
    """Who detects the change that the file now has: the tests of its library, or else the cases."""
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
        path.write_text(text[:mutation.begin] + mutation.text + text[mutation.end:], encoding="utf-8")
        return outcome(tree, source)
    finally:
        path.write_text(text, encoding="utf-8")


def check_unchanged(tree):
    """Every test must hold before anything is changed; it also measures how long each takes."""
    if not tree.links("all"):
        sys.exit(f"mutants: {tree.root} does not build")
    for program in tree.inputs:
        if not tree.holds(program):
            sys.exit(f"mutants: {program} fails on the unchanged tree")
    if not tree.cases_hold():
        sys.exit("mutants: tests/cases fail on the unchanged tree")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=90, help="percent that must be detected")
    parser.add_argument("--only", default="", help="files whose path contains this")
    arguments = parser.parse_args()
    tree = BuildTree(arguments.root)
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
