# SPDX-License-Identifier: Apache-2.0
"""The processes of one round, found by a variable of their environment that the agent, too, inherits."""

import contextlib
import os
import pathlib
import time

VARIABLE = "SPARKPROF_CHAOS_ROUND"


def processes(name):
    """{pid: role} of the processes of the round `name`: agent, driver, executor, daemon, worker or other."""
    mark = f"{VARIABLE}={name}".encode()
    commands, parents = {}, {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            stat = (entry / "stat").read_text(errors="replace").rsplit(")", 1)[1].split()
            if stat[0] == "Z" or mark not in (entry / "environ").read_bytes().split(b"\0"):
                continue
            pid = int(entry.name)
            commands[pid] = (entry / "cmdline").read_bytes().split(b"\0")
            parents[pid] = int(stat[1])
    roles = {pid: _role(command) for pid, command in commands.items()}
    for pid, role in list(roles.items()):
        if role == "daemon" and roles.get(parents[pid]) in ("daemon", "worker"):
            roles[pid] = "worker"
    return roles


def _role(command):
    text = b" ".join(command)
    if os.path.basename(command[0]).startswith(b"sparkprof-agent"):
        return "agent"
    if b"CoarseGrainedExecutorBackend" in text:
        return "executor"
    if b"org.apache.spark.deploy.SparkSubmit" in text:
        return "driver"
    if b"pyspark.daemon" in text or b"sparkprof_python_" in text:
        return "daemon"
    return "other"


def wait_for(condition, seconds):
    """The first true value of `condition()`, or its last one when the time is over."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(0.05)
