# SPDX-License-Identifier: Apache-2.0
"""Processes without permission to read them: `dump` and `attach` name the fix."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import AS_NOBODY, DEADLINE, TestCase, execute, program_for_all

SCOPE = pathlib.Path("/proc/sys/kernel/yama/ptrace_scope")
AS_ROOT_OF_A_CONTAINER = ["setpriv", "--bounding-set=-sys_ptrace"]
PYTHON = "/usr/bin/python3"  # every user may run it
PROGRAM = "print('ready', flush=True)\nimport sys\nsys.stdin.read()"
# PR_SET_DUMPABLE
CLOSED = f"import ctypes\nctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\n{PROGRAM}"


@unittest.skipIf(os.geteuid() != 0, "only root can become another user")
@unittest.skipUnless(shutil.which("setpriv"), "no setpriv on PATH")
@unittest.skipUnless(os.path.exists(PYTHON), f"no {PYTHON}")
class LookPermissionTest(TestCase):
    def setUp(self):
        super().setUp()
        # TMPDIR may be one user's own.
        folder = self.enter(tempfile.TemporaryDirectory(prefix="sparkprof-e2e-", dir="/tmp"))
        os.chmod(folder, 0o755)
        self.program = program_for_all(folder)

    @contextlib.contextmanager
    def python(self, *around, program=PROGRAM):
        process = subprocess.Popen([*around, PYTHON, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(process.stdout.readline(), "ready\n")
            yield process.pid
        finally:
            process.stdin.close()
            process.wait(DEADLINE)
            process.stdout.close()

    def look(self, around, *arguments):
        return execute(*around, self.program, *arguments, code=None, cwd="/")

    def assert_refused(self, around, pid, *parts):
        for arguments in (["attach", "--dump", pid], ["attach", pid, "--python", "--duration", "1"]):
            result = self.look(around, *arguments)
            self.assertEqual((result.returncode, result.stdout, len(result.stderr.splitlines())), (2, "", 1), result)
            for part in (f"process {pid}", *parts):
                self.assertIn(part, result.stderr)

    def test_ones_own_process_may(self):
        with self.python(*AS_NOBODY) as pid:
            result = self.look(AS_NOBODY, "attach", "--dump", pid)
            if SCOPE.exists() and SCOPE.read_text().strip() != "0":
                self.skipTest(f"{SCOPE} is {SCOPE.read_text().strip()}")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("<module>", result.stdout)

    def test_another_users_process(self):
        with self.python() as pid:
            self.assert_refused(AS_NOBODY, pid, "belongs to root", "sudo -u root sparkprof")

    def test_a_process_that_closed_itself(self):
        with self.python(*AS_NOBODY, program=CLOSED) as pid:
            self.assert_refused(AS_NOBODY, pid, "PR_SET_DUMPABLE", "sudo sparkprof")

    def test_a_container_without_the_capability(self):
        with self.python() as pid:
            self.assert_refused(AS_ROOT_OF_A_CONTAINER, pid, "CAP_SYS_PTRACE", "--cap-add SYS_PTRACE")

    def test_yama(self):
        if not SCOPE.exists():
            self.skipTest(f"this kernel has no Yama: there is no {SCOPE}")
        before = SCOPE.read_text()
        if before.strip() not in ("0", "1"):
            self.skipTest(f"{SCOPE} is {before.strip()} and stays so")
        try:
            SCOPE.write_text("1")
        except OSError as error:
            self.skipTest(f"{SCOPE} cannot be written: {error}")
        try:
            with self.python(*AS_NOBODY) as pid:
                self.assert_refused(AS_NOBODY, pid, "kernel.yama.ptrace_scope is 1", "sudo sysctl kernel.yama.ptrace_scope=0")
                self.assertEqual(self.look([], "attach", "--dump", pid).returncode, 0, "root may")
        finally:
            SCOPE.write_text(before)
