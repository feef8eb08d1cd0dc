#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what findings were right about, for each rule, as a page of Markdown:

    truth_table.py RESULTS… >truth.md

RESULTS are the results.json that truth_of_findings.py leaves in its folder, and proof.json files of `sparkprof prove --finding`. Figures
are those in the files, with their date; what was not measured is not in the page. `make site` shows it for build/truth."""

import argparse
import collections
import json
import pathlib

KINDS = {"profile": "recording", "events": "event log", "log": "text log"}


def shown_first(jobs):
    """(job, kind, finding, whether it is right) of each first finding that counts: low ones of healthy jobs do not."""
    for job in jobs:
        for kind, finding in job["found"].items():
            if finding and (job["rules"] or finding["severity"] != "low"):
                yield job, kind, finding, finding["right"]


def causes(results):
    """A row for each rule: planted jobs, those that name the rule first by kind of input, and how often it was first and right."""
    planted = collections.Counter(rule for job in results["jobs"] for rule in job["rules"])
    named, first, right = collections.Counter(), collections.Counter(), collections.Counter()
    for job, kind, finding, is_right in shown_first(results["jobs"]):
        rule = finding["rule"]
        first[rule] += 1
        right[rule] += is_right
        if rule in job["rules"]:
            named[rule, kind] += 1
    for rule in sorted(set(planted) | set(first)):
        counts = [f"{named[rule, kind]} of {planted[rule]}" if planted[rule] else "" for kind in KINDS]
        yield [f"`{rule}`", *counts, f"{right[rule]} of {first[rule]}" if first[rule] else "never first"]


def verdict(low, high, gained):
    return "less" if gained < low else "more" if gained > high else "as promised"


def gains(results):
    """A row for each job that ran with and without its cause."""
    for job in results["jobs"]:
        finding = job["found"]["profile"]
        if job.get("fixedSeconds") is not None and finding and finding["right"]:
            (low, high), gained = finding["savingSeconds"], job["seconds"] - job["fixedSeconds"]
            yield [f"`{finding['rule']}`", job["job"], f"{low:.1f} to {high:.1f} s", f"{gained:.1f} s", verdict(low, high, gained)]


def proved(proof):
    """The row of a proof, whose numbers are after minus before, in milliseconds."""
    low, high, gained = (-value / 1000 for value in (proof["promisedMs"]["high"], proof["promisedMs"]["low"], proof["deltaMs"]["median"]))
    name = f"{proof['application']}: {proof['verdict']}"
    return [f"`{proof['rule']}`", name, f"{low:.1f} to {high:.1f} s", f"{gained:.1f} s", proof["promise"]]


def table(head, rows):
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def page(runs, proofs):
    parts = ["# Findings and what they were right about"]
    for results in runs:
        healthy = [job for job in results["jobs"] if not job["rules"]]
        quiet = sum(all(finding is None or finding["right"] for finding in job["found"].values()) for job in healthy)
        parts.append(f"## {results['date']}: sparkprof {results['sparkprof']}, Spark {results['spark']}")
        parts.append(
            f"{len(results['jobs']) - len(healthy)} jobs with a planted cause and {len(healthy)} healthy ones, each read as {', '.join(KINDS.values())}"
            f"{', beside two busy processes' if results['loaded'] else ''}. {quiet} of the {len(healthy)} healthy jobs have no finding above low. "
            "The last column counts how often the rule was the first finding, and how often it named the cause then. Measured by "
            f"`bench/truth_of_findings.py FOLDER{' --fixed' if any('fixedSeconds' in job for job in results['jobs']) else ''}`."
        )
        parts.append(table(["rule", *(f"named in the {kind}" for kind in KINDS.values()), "right when first"], causes(results)))
        if rows := list(gains(results)):
            parts.append(
                "Promised: what the first finding of the recording could save. Gained: the job's time without its cause, one run of each."
            )
            parts.append(table(["rule", "job", "promised", "gained", "gained was"], rows))
    if proofs:
        parts.append("## Proofs\n\nMeasured by `sparkprof prove --finding`, until the difference was decided.")
        parts.append(table(["rule", "application", "promised", "gained", "promise"], map(proved, proofs)))
    return "\n\n".join(parts) + "\n"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("results", nargs="+", type=pathlib.Path)
    read = [json.loads(path.read_text(encoding="utf-8")) for path in options.parse_args().results]
    runs = [one for one in read if "jobs" in one]
    proofs = [one for one in read if one.get("promisedMs") and one.get("deltaMs")]
    print(page(runs, proofs), end="")


if __name__ == "__main__":
    main()
