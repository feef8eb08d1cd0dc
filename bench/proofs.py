#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves the fix of planted causes by `sparkprof prove`, and that changes without an effect are not proved:

    proofs.py findings FOLDER [--runs N] [--budget TIME] [JOB...]
    proofs.py placebos FOLDER COUNT [--runs N] [--budget TIME]

findings: each job of truth_of_findings.py with a cause runs profiled; its first finding is proved against the job with --fixed. Prints
a row for each: promised, gained, verdict, equal queries, runs. placebos: a setting without an effect, COUNT times. FOLDER/NAME keeps
proof.json, which truth_table.py reads; a name that has one is not measured again. Run it alone on the machine."""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys

from truth_of_findings import REPOSITORY, planted, run

sys.path.insert(0, str(REPOSITORY / "tests" / "e2e"))
from spark_jobs import SPARK_VERSIONS, Spark, submit  # noqa: E402

QUIET = {"spark.ui.enabled": "false"}
PLACEBO = "spark.ui.retainedStages=999"


def prove(folder, options, job, after=None):
    """The contents of proof.json, measured unless the folder has one."""
    proof = folder / "proof" / "proof.json"
    if not proof.exists():
        command = [os.environ["SPARKPROF_BIN"], "prove", "--output-dir", proof.parent, *options]
        if after:
            command += ["--after", shlex.join(after)]
        subprocess.run(list(map(str, [*command, "--", *job])), env=Spark().environment(), capture_output=True, check=False)
    return json.loads(proof.read_text(encoding="utf-8"))


def seconds(delta):
    """The gain of a difference in milliseconds: its median and, if both are known, its ends."""
    if not delta:
        return "–"
    ends = (delta["high"], delta["low"])
    interval = "" if None in ends else " ({:.1f} to {:.1f})".format(*(-end / 1000 for end in ends))
    return f"{-delta['median'] / 1000:.1f}{interval}"


def row(name, proof):
    promised, results, runs = proof["promisedMs"], proof["results"], proof["runs"]
    cells = (
        f"`{name}`",
        f"`{proof['rule']}`" if proof["rule"] else "–",
        f"{-promised['high'] / 1000:.1f} to {-promised['low'] / 1000:.1f}" if promised else "–",
        seconds(proof["deltaMs"]),
        proof["verdict"],
        proof["promise"] or "–",
        f"{results['equal']} of {results['queries']}",
        f"{runs['before']} + {runs['after']}",
    )
    return f"| {' | '.join(cells)} |"


def prove_finding(name, job, folder, limits):
    """The row of a job's first finding; the reason if it cannot be proved."""
    recorded = folder / "recorded"
    if not (folder / "proof" / "proof.json").exists() and not recorded.exists():
        run(name, job, SPARK_VERSIONS[0], recorded)
    path, options, rules, _ = job
    listed = subprocess.run(
        [os.environ["SPARKPROF_BIN"], "findings", "--json", str(recorded / "profile" / "recording.sprof")],
        capture_output=True,
        text=True,
        check=False,
    )
    findings = json.loads(listed.stdout or "[]")
    if not findings or findings[0]["rule"] not in rules:
        return f"| `{name}` | first finding: {findings[0]['rule'] if findings else 'none'} |"
    before, after = (submit(path, *more, conf=QUIET, options=options) for more in ((), ("--fixed",)))
    chosen = ["--finding", findings[0]["id"], "--from", recorded / "profile" / "recording.sprof", *limits]
    return row(name, prove(folder, chosen, before, after))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("findings", "placebos"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--runs", default="24")
    parser.add_argument("--budget", default="10m")
    parser.add_argument("names", nargs="*", help="jobs, or the number of placebos")
    options = parser.parse_args()
    limits = ["--runs", options.runs, "--budget", options.budget]
    print("| job | rule | promised, s | gained, s | verdict | promise | equal queries | runs |\n|---|---|---|---|---|---|---|---|")
    if options.what == "placebos":
        job = submit("proved_job.py", 0, 100, conf=QUIET)
        for number in range(int(options.names[0])):
            name = f"placebo-{number + 1}"
            print(row(name, prove(options.folder / name, ["--change", PLACEBO, *limits], job)), flush=True)
        return
    jobs = {name: job for name, job in planted().items() if job[0] and job[2]}
    for name in options.names or jobs:
        try:
            print(prove_finding(name, jobs[name], options.folder / name, limits), flush=True)
        except Exception as error:
            print(f"| `{name}` | did not run: {str(error)[-200:]} |", flush=True)


if __name__ == "__main__":
    main()
