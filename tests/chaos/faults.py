# SPDX-License-Identifier: Apache-2.0
"""What is done to a running job. Each fault is a function of the round and a random generator; it says what it did."""
import contextlib
import os
import resource
import shutil
import signal
import time

from processes import processes, wait_for

STOP_SECONDS = 10
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
    """What a cleaner of temporary folders takes: all of it, or a part of the Python sampler's folder."""
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


def limit_agent(kind):
    def fault(round_, generator):
        pid = find(round_, "agent", generator)
        if pid is None:
            return "no agent"
        with contextlib.suppress(OSError):
            limit = len(os.listdir(f"/proc/{pid}/fd")) if kind == resource.RLIMIT_NOFILE else 4096
            resource.prlimit(pid, kind, (limit, limit))
        return f"pid {pid}"

    return fault


def nothing(round_, generator):
    return "by itself"


# Name → (fault, what the job does to itself, whether it takes executors, whether a job without profiler sees it)
FAULTS = {
    f"{target} {action}": (send(target, action), "none", target == "executor", target != "agent")
    for target in TARGETS for action in ("kill", "stop", "term")
}
FAULTS |= {
    "output deleted": (delete_output, "none", False, False),
    "disk full": (limit_agent(resource.RLIMIT_FSIZE), "none", False, False),
    "temporary removed": (remove_temporary, "none", False, False),
    "descriptors": (limit_agent(resource.RLIMIT_NOFILE), "none", False, False),
    "executor oom": (nothing, "executor-oom", True, True),
    "worker _exit": (nothing, "worker-exit", False, True),
    "executor exit": (nothing, "executor-exit", True, True),
}
