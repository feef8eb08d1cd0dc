# SPDX-License-Identifier: Apache-2.0
"""Small Debians and Alpines, and programs of another architecture in them."""

import contextlib
import os
import pathlib

from support import REPOSITORY, execute


def root(*kind):
    """The folder of a root that scripts/setup makes."""
    return pathlib.Path(execute(REPOSITORY / "scripts" / "setup", *kind).stdout.strip())


def bwrap(root, work, *options, **environment):
    """The words that run the command behind them in a root, where `work` is /try."""
    binds = ["--bind", root, "/", "--bind", work, "/try", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    settings = [word for name, value in environment.items() for word in ("--setenv", name, value)]
    return ["bwrap", *binds, *options, "--clearenv", *settings]


@contextlib.contextmanager
def arm64_programs():
    """The kernel runs arm64 programs by qemu meanwhile."""
    folder = pathlib.Path("/proc/sys/fs/binfmt_misc")
    if not (folder / "register").exists():
        execute("mount", "-t", "binfmt_misc", "none", folder)
    name = f"sparkprof-test-{os.getpid()}"
    magic = r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
    mask = r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
    # F: the kernel opens qemu now, since the root has none.
    (folder / "register").write_text(f":{name}:M::{magic}:{mask}:/usr/bin/qemu-aarch64-static:F")
    try:
        yield
    finally:
        (folder / name).write_text("-1")
