# SPDX-License-Identifier: Apache-2.0
"""A worker goes on where its allocations cannot be sampled."""

import types
import unittest
from unittest import mock

from sparkprof import _sampler


class SamplerAllocationsTest(unittest.TestCase):
    def complaints(self, settings):
        """The notices of a recording about a library without functions for allocations."""
        with (
            mock.patch.object(_sampler, "_library", types.SimpleNamespace(_handle=None)),
            mock.patch.object(_sampler, "_allocations", None),
            mock.patch.object(_sampler, "complain") as complain,
        ):
            _sampler._start_allocations(settings)
            self.assertIsNone(_sampler._allocations)
        return [call.args[0] for call in complain.call_args_list]

    def test_a_library_without_the_functions_is_a_warning(self):
        self.assertEqual(self.complaints({"alloc_interval_bytes": 1024}), ["allocations"])

    def test_a_size_that_is_no_number_is_a_warning(self):
        self.assertEqual(self.complaints({"alloc_interval_bytes": "many"}), ["allocations"])

    def test_allocations_are_off_by_default(self):
        self.assertEqual(self.complaints({}), [])
