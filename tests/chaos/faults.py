# SPDX-License-Identifier: Apache-2.0
"""Faults of a running job. Each is a function of the round and a random generator, and returns its description."""

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import time

from processes import processes, wait_for

STOP_SECONDS = 10
FILLER = "filler"
TARGETS = ("agent", "worker", "daemon", "driver", "executor", "wrapper")


def find(round_, role, generator):
    if role == "wrapper":
        return round_.process.pid
    found = wait_for(lambda: sorted(pid for pid, r in processes(round_.name).items() if r == role), 20)
    return generator.choice(found) if found else None


def send(role, action):
    def fault(round_, generator):
        pid = find(round_, role, generator)
        if pid is None:
            return f"no {role}"
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "term": signal.SIGTERM}[action])
            if action == "stop":
                time.sleep(STOP_SECONDS)
                os.kill(pid, signal.SIGCONT)
        return f"pid {pid}"

    return fault


def delete_output(round_, generator):
    shutil.rmtree(round_.output, ignore_errors=True)
    return "removed"


def remove_temporary(round_, generator):
    """Files that a cleaner of temporary folders removes: all of it, or a part of the Python sampler's folder."""
    part = generator.choice(["", "rings", "sparkprof", "sparkprof/libsparkprof-pysampler.so", "module"])
    if part == "":
        for entry in round_.temporary.iterdir():
            shutil.rmtree(entry, ignore_errors=True)
    elif part == "module":
        for module in round_.folder.rglob("sparkprof_python_*.py"):
            module.unlink(missing_ok=True)
    else:
        for folder in round_.temporary.glob("sparkprof-python-*"):
            if (folder / part).is_dir():
                shutil.rmtree(folder / part, ignore_errors=True)
            else:
                (folder / part).unlink(missing_ok=True)
    return part or "everything"


def limit(role, kind):
    """Lets no file grow, or no further descriptor be opened, in one process of the role."""

    def fault(round_, generator):
        pid = find(round_, role, generator)
        if pid is None:
            return f"no {role}"
        with contextlib.suppress(OSError):
            most = len(os.listdir(f"/proc/{pid}/fd")) if kind == resource.RLIMIT_NOFILE else 4096
            resource.prlimit(pid, kind, (most, most))
        return f"pid {pid}"

    return fault


def fill(part):
    """Fills the file system of the round's own on which `part` lies; it stays full."""

    def fault(round_, generator):
        with open(getattr(round_, part) / FILLER, "wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(bytes(size))
        return f"{part} full"

    return fault


def nothing(round_, generator):
    return "by itself"


# Name → (fault, what the job does to itself, whether it takes executors, whether a job without profiler sees it)
FAULTS = {
    f"{target} {action}": (send(target, action), "none", target == "executor", target != "agent")
    for target in TARGETS
    for action in ("kill", "stop", "term")
}
FAULTS |= {
    "output deleted": (delete_output, "none", False, False),
    "temporary removed": (remove_temporary, "none", False, False),
    "agent descriptors": (limit("agent", resource.RLIMIT_NOFILE), "none", False, False),
    "executor descriptors": (limit("executor", resource.RLIMIT_NOFILE), "none", True, True),
    "worker descriptors": (limit("worker", resource.RLIMIT_NOFILE), "none", False, True),
    "agent file size": (limit("agent", resource.RLIMIT_FSIZE), "none", False, False),
    "executor oom": (nothing, "executor-oom", True, True),
    "worker _exit": (nothing, "worker-exit", False, True),
    "executor exit": (nothing, "executor-exit", True, True),
}
# Fault → the part of the round that gets a file system of its own, where this process may mount one.
MOUNTED = {}
if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0:
    MOUNTED = {"output disk full": "output", "temporary disk full": "temporary"}
    FAULTS |= {"output disk full": (fill("output"), "none", False, False), "temporary disk full": (fill("temporary"), "none", False, True)}
