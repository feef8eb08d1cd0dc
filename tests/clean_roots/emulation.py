# SPDX-License-Identifier: Apache-2.0
"""Programs of another architecture in the roots of these tests."""

import contextlib
import os
import pathlib
import subprocess


@contextlib.contextmanager
def arm64_programs():
    """The kernel runs arm64 programs by qemu meanwhile."""
    folder = pathlib.Path("/proc/sys/fs/binfmt_misc")
    if not (folder / "register").exists():
        subprocess.run(["mount", "-t", "binfmt_misc", "none", folder], check=True)
    name = f"sparkprof-test-{os.getpid()}"
    magic = r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
    mask = r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
    # F: the kernel opens qemu now, since the root has none.
    (folder / "register").write_text(f":{name}:M::{magic}:{mask}:/usr/bin/qemu-aarch64-static:F")
    try:
        yield
    finally:
        (folder / name).write_text("-1")
