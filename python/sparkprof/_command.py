# SPDX-License-Identifier: Apache-2.0
"""Runs the sparkprof command, which does the reading and counting for the classes of this package."""

import json
import os
import pathlib
import subprocess
import sys


class SparkprofError(ValueError):
    """The command failed; the text names the file, the place and the problem."""


class NothingFound(SparkprofError):
    """The input is readable but contains no matching data."""


_EXIT_NO = 1


def find_command():
    """The path of the sparkprof command: $SPARKPROF_BIN, the one in this package, or the one on PATH."""
    named = os.environ.get("SPARKPROF_BIN")
    if named:
        return named
    package = pathlib.Path(__file__).resolve().parent
    for candidate in (package / "bin" / "sparkprof", package.parents[1] / "bin" / "sparkprof"):
        if os.access(candidate, os.X_OK) and candidate.is_file():
            return str(candidate)
    for folder in os.get_exec_path():
        candidate = os.path.join(folder, "sparkprof")
        if os.access(candidate, os.X_OK) and os.path.isfile(candidate) and not _is_own_script(candidate):
            return candidate
    raise SparkprofError("sparkprof command not found: add it to PATH or set SPARKPROF_BIN")


def main():
    """The `sparkprof` command of an installed package: becomes the native one."""
    try:
        command = find_command()
        os.execv(command, [command, *sys.argv[1:]])
    except (SparkprofError, OSError) as error:
        print(f"sparkprof: {error}", file=sys.stderr)
    return 2


def submit():
    """The `sparkprof-submit` command of an installed package: the native command by that name. The script may have the name
    of spark-submit; the native command does not take it for the real one."""
    try:
        script = os.path.realpath(sys.argv[0])
        os.environ["SPARKPROF_SUBMIT_SCRIPT"] = script
        name = os.path.basename(sys.argv[0])
        os.execv(find_command(), [name if name.endswith("-submit") else "sparkprof-submit", *sys.argv[1:]])
    except (SparkprofError, OSError) as error:
        print(f"sparkprof: {error}", file=sys.stderr)
    return 2


def _is_own_script(path):
    """Whether pip made it, to call main()."""
    with open(path, "rb") as file:
        start = file.read(4096)
    return start.startswith(b"#!") and b"sparkprof._command" in start


def run(*arguments):
    """The output of `sparkprof ARGUMENTS`, as text."""
    command = [find_command(), *(os.fspath(argument) for argument in arguments)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise SparkprofError(f"cannot run {command[0]}: {error}") from error
    if done.returncode != 0:
        complaint = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        kind = NothingFound if done.returncode == _EXIT_NO else SparkprofError
        raise kind(complaint)
    return done.stdout.decode("utf-8")


def run_json(*arguments):
    """The output of `sparkprof ARGUMENTS --json`, as Python objects."""
    return json.loads(run(*arguments, "--json"))
