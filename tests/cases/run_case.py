# SPDX-License-Identifier: Apache-2.0
"""Runs one case in a folder of its own."""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from expectations import absent, contains, exact, json_values

FOLDER = pathlib.Path(__file__).resolve().parent
# The tests of this folder import this module first, and then find `support`.
sys.path.append(str(FOLDER.parent / "e2e"))
from support import DEADLINE, REPOSITORY, SPARKPROF, write_file  # noqa: E402

PROGRAM = shutil.which(SPARKPROF)


def environment(folder, tools):
    """Nothing of the caller's settings: a case means the same on every machine."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK", "PYSPARK", "LC_", "LANG"))}
    return {
        **kept,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOME": str(folder),
        "TMPDIR": str(folder.parent),
        "XDG_STATE_HOME": str(folder.parent / "state"),
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "REPOSITORY": str(REPOSITORY),
        "SEEDS": str(REPOSITORY / "fuzz" / "seeds"),
    }


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


@dataclasses.dataclass
class Outcome:
    exit_code: int
    out: str
    err: str
    problems: list[str]  # differences from the case's expectations
    broken: bool = False  # BEFORE failed: nothing was run


def run_case(case, program=PROGRAM):
    with tempfile.TemporaryDirectory(prefix="sparkprof-case-") as name:
        folder, tools = pathlib.Path(name) / "case", pathlib.Path(name) / "tools"
        folder.mkdir()
        tools.mkdir()
        (tools / "sparkprof").symlink_to(program)
        for tool in ("event-log", "report-data", "with-server"):
            script = FOLDER / f"{tool.replace('-', '_')}.py"
            write_file(tools / tool, f'#!/bin/sh\nexec python3 "{script}" "$@"\n', 0o755)
        shell = {"cwd": folder, "env": environment(folder, tools), "stdin": subprocess.DEVNULL, "capture_output": True}
        shell |= {"timeout": DEADLINE, "check": False}
        for path, content in case.inputs.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content, encoding="utf-8")
        script = "set -eo pipefail\n" + "\n".join(case.before)
        before = subprocess.run(["bash", "-c", script], **shell)
        if before.returncode != 0:
            return Outcome(before.returncode, "", "", [f"BEFORE: exit {before.returncode}\n{before.stderr.decode()}"], broken=True)
        files = files_below(folder)
        result = subprocess.run(["bash", "-c", "\n".join(case.parts["RUN"])], **shell)
        outcome = Outcome(result.returncode, result.stdout.decode(errors="replace"), result.stderr.decode(errors="replace"), [])
        outcome.problems += problems(case, outcome, files, files_below(folder))
        return outcome


def problems(case, outcome, files_before, files_after):
    """Yields each problem. Unless the case expects otherwise: exit 0, nothing on standard error, and a failure leaves no file."""
    parts, out = case.parts, outcome.out
    if outcome.exit_code != case.exit_code:
        yield f"exit {outcome.exit_code}, expected {case.exit_code}"
    checks = {"EXPECT": exact, "CONTAINS": contains, "ABSENT": absent}
    for keyword, holds in checks.items():
        if keyword in parts and (problem := holds("standard output", parts[keyword], out)):
            yield problem
    if "JSON" in parts and (problem := json_values(parts["JSON"], out)):
        yield problem
    if problem := exact("standard error", parts.get("STDERR", []), outcome.err):
        yield problem
    if case.exit_code != 0 and not checks.keys() & parts and "JSON" not in parts and out:
        yield f"printed on standard output, though it failed:\n{out}"
    expected_files = sorted([*files_before, *" ".join(parts["FILES"]).split()]) if "FILES" in parts else None
    if expected_files is None and case.exit_code != 0:
        expected_files = files_before
    if expected_files is not None and files_after != expected_files:
        yield f"files: {' '.join(files_after)}, expected {' '.join(expected_files)}"
