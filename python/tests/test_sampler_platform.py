# SPDX-License-Identifier: Apache-2.0
"""Which of the package's native samplers a Python loads."""

import platform
import unittest
from unittest import mock

from sparkprof import _sampler


class SamplerPlatformTest(unittest.TestCase):
    def test_a_python_with_glibc_loads_the_sampler_for_its_processor(self):
        with mock.patch("os.confstr", return_value="glibc 2.36"):
            for machine, name in (("x86_64", "linux-x64"), ("aarch64", "linux-arm64")):
                with mock.patch.object(platform, "machine", return_value=machine):
                    self.assertEqual(_sampler._platform(), name)

    def test_a_python_with_musl_loads_the_one_for_musl(self):
        # musl has no such value; CPython built with it may lack the name.
        for error in (OSError(22, "Invalid argument"), ValueError("unrecognized configuration name")):
            with mock.patch("os.confstr", side_effect=error), mock.patch.object(platform, "machine", return_value="x86_64"):
                self.assertEqual(_sampler._platform(), "linux-x64-musl")
