# SPDX-License-Identifier: Apache-2.0
"""The programs that users get are hardened: those of the build, and the portable ones of `make dist` where they were built."""

import os
import re
import struct
import unittest

from run_case import REPOSITORY
from support import execute

BUILD = REPOSITORY / "build" / os.environ.get("PRESET", "release") / "apps"
PROGRAMS = ["sparkprof", "sparkprof-agent", "libsparkprof-pysampler.so"]
X86_64 = 62
ENDBR64 = b"\xf3\x0f\x1e\xfa"
# mov %fs:0x28,%REGISTER: a function puts the guard on its stack.
LOADS_GUARD = re.compile(rb"\x64[\x48\x4c]\x8b[\x04\x0c\x14\x1c\x24\x2c\x34\x3c]\x25\x28\0\0\0")


def programs():
    built = [BUILD / "sparkprof/sparkprof", BUILD / "agent/sparkprof-agent", BUILD / "pysampler/libsparkprof-pysampler.so"]
    portable = [path for name in PROGRAMS for path in sorted((REPOSITORY / "dist/native").glob(f"*/{name}"))]
    return [path for path in built + portable if path.exists()]


def readelf(path, *options):
    return execute("readelf", "-W", *options, path).stdout


def machine_of(path):
    """The processor in the ELF header."""
    return struct.unpack_from("<H", path.read_bytes()[:20], 18)[0]


class HardeningTest(unittest.TestCase):
    def test_programs_are_there(self):
        if not BUILD.exists():
            self.skipTest(f"nothing is built in {BUILD}")
        self.assertGreaterEqual(len(programs()), 3)

    def for_each(self, check):
        for path in programs():
            with self.subTest(path=str(path.relative_to(REPOSITORY))):
                check(path)

    def test_code_has_no_fixed_address(self):
        self.for_each(lambda path: self.assertRegex(readelf(path, "-h"), r"Type:\s+DYN"))

    def test_relocations_are_read_only_before_the_program_starts(self):
        def check(path):
            self.assertIn("GNU_RELRO", readelf(path, "-l"))
            self.assertRegex(readelf(path, "-d"), r"BIND_NOW|FLAGS_1.*\bNOW\b")

        self.for_each(check)

    def test_stacks_are_not_executable(self):
        def check(path):
            stack = re.search(r"GNU_STACK.*", readelf(path, "-l"))
            self.assertIsNotNone(stack)
            self.assertRegex(stack[0], r"\bRW\b")
            self.assertNotRegex(stack[0], r"\bRWE\b")

        self.for_each(check)

    def test_stacks_have_a_guard(self):
        # The portable compiler links the function that reports a damaged guard, so it is no dynamic symbol there.
        def check(path):
            if machine_of(path) == X86_64:
                self.assertGreater(len(LOADS_GUARD.findall(path.read_bytes())), 30)  # none without the option
            elif path.is_relative_to(BUILD):
                self.assertIn("__stack_chk_fail", readelf(path, "--dyn-syms"))

        self.for_each(check)

    def test_functions_of_the_c_library_check_sizes(self):
        def check(path):
            if not path.parent.name.endswith("-musl"):  # musl has no such functions
                self.assertRegex(readelf(path, "--dyn-syms"), r"__(?!stack_chk)[a-z_]+_chk\b")

        self.for_each(check)

    def test_indirect_calls_on_x86_64_land_on_marked_places(self):
        def check(path):
            if machine_of(path) == X86_64:
                self.assertGreater(path.read_bytes().count(ENDBR64), 100)

        self.for_each(check)
