# SPDX-License-Identifier: Apache-2.0
"""Processes of this machine, by /proc. One that has ended has no command, no time and no parent."""

import contextlib
import os
import pathlib

TICKS = os.sysconf("SC_CLK_TCK")


def words_of(pid):
    """The command line."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return [""]


def command_of(pid):
    return " ".join(words_of(pid))


def program_of(pid):
    """The name by which it was started."""
    return os.path.basename(words_of(pid)[0])


def processes_named(name):
    """Pids whose command line contains `name`."""
    return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and name in command_of(pid)]


def fields_of(stat):
    """The fields behind the name in /proc/PID/stat; none when there is no such process."""
    try:
        return stat.read_text(errors="replace").rsplit(")", 1)[1].split()
    except OSError:
        return []


def parent_of(pid):
    """0 when there is no such process."""
    fields = fields_of(pathlib.Path(f"/proc/{pid}/stat"))
    return int(fields[1]) if fields else 0


def cpu_seconds(pid):
    fields = fields_of(pathlib.Path(f"/proc/{pid}/stat"))
    return sum(map(int, fields[11:13])) / TICKS


def seconds_in_tasks(pid):
    """CPU time of the threads of an executor that run its tasks."""
    ticks = 0
    for stat in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"):
        with contextlib.suppress(OSError):  # a thread that has ended
            name, fields = stat.read_text().split("(", 1)[1].rsplit(")", 1)
            if name.startswith("Executor task l"):
                ticks += sum(map(int, fields.split()[11:13]))
    return ticks / TICKS


def folder_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""


def agents(below=None):
    """Pids of the agents on this machine, or of those that a process or its children started."""

    def is_below(pid):
        while pid not in (0, 1, below):
            pid = parent_of(pid)
        return pid == below

    # Others may name an agent in their arguments.
    running = [pid for pid in processes_named("sparkprof-agent") if program_of(pid).startswith("sparkprof-agent")]
    return {pid for pid in running if below is None or is_below(pid)}
