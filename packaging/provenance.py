#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""provenance.py VERSION FILE…: prints an in-toto statement with SLSA provenance (version 1) about the files of a release.

It names the commit, the command, and each input by the hash that the build checked.
"""

import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys

from bill_of_materials import REQUIREMENTS, ROOT, lines_of, pin_of

SOURCE = "https://github.com/sparkprof/sparkprof"


def digest_of(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def inputs():
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    found = [{"uri": f"git+{SOURCE}", "digest": {"gitCommit": commit}}] if commit else []
    for line in lines_of(ROOT / "packaging" / "components.tsv"):
        _, url, (algorithm, digest) = pin_of(line.split("\t")[3])
        found.append({"uri": url, "digest": {algorithm.lower().replace("-", ""): digest}})
    for line in lines_of(REQUIREMENTS / "maven.txt"):
        digest, path = line.split()
        group, artifact, version, file = path.rsplit("/", 3)
        found.append({"uri": f"pkg:maven/{group.replace('/', '.')}/{artifact}@{version}#{file}", "digest": {"sha256": digest}})
    return found


def main():
    version, files = sys.argv[1], [pathlib.Path(name) for name in sys.argv[2:]]
    time = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": file.name, "digest": {"sha256": digest_of(file)}} for file in sorted(files)],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": f"{SOURCE}/blob/v{version}/docs/release.md",
                "externalParameters": {"command": f"make release VERSION={version}"},
                "internalParameters": {"SOURCE_DATE_EPOCH": os.environ["SOURCE_DATE_EPOCH"]},
                "resolvedDependencies": inputs(),
            },
            # The time of the commit, so that the statement is the same for each build of it.
            "runDetails": {"builder": {"id": f"{SOURCE}/blob/v{version}/scripts/release"}, "metadata": {"startedOn": time}},
        },
    }
    print(json.dumps(statement, indent=1))


if __name__ == "__main__":
    main()
