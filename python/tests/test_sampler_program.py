# SPDX-License-Identifier: Apache-2.0
"""The note that the sampler writes when the driver's program ends with an exception."""

import contextlib
import os
import sys
import tempfile
import unittest
from unittest import mock

from sparkprof import _sampler


class SamplerProgramTest(unittest.TestCase):
    def setUp(self):
        hook = mock.patch.object(sys, "excepthook", lambda *_: None)
        complaint = mock.patch.object(_sampler, "complain")
        hook.start()
        self.complain = complaint.start()
        self.addCleanup(hook.stop)
        self.addCleanup(complaint.stop)
        _sampler._report_end()

    def raise_and_report(self, error):
        try:
            raise error
        except BaseException:
            sys.excepthook(*sys.exc_info())

    def test_an_exception_is_reported_with_its_line(self):
        self.raise_and_report(KeyError("tenant"))
        text = self.complain.call_args.args[1]
        self.assertTrue(text.startswith("the driver's program ended: Traceback (most recent call last):\n"), text)
        self.assertIn("in raise_and_report", text)
        self.assertTrue(text.endswith("\nKeyError: 'tenant'"), text)

    def test_frames_of_a_jvm_are_left_out_and_long_texts_are_cut_in_their_middle(self):
        self.raise_and_report(ValueError("x" * 9000 + "\n\tat a.B.c(B.java:1)\nCaused by: java.io.IOException: disk"))
        text = self.complain.call_args.args[1]
        self.assertNotIn("B.java", text)
        self.assertTrue(text.endswith("\nCaused by: java.io.IOException: disk"), text[-200:])
        self.assertLess(len(text), 4096)

    def test_an_interrupted_program_is_not_reported(self):
        self.raise_and_report(KeyboardInterrupt())
        self.complain.assert_not_called()


class RemovedFolderTest(unittest.TestCase):
    """The plugin removes the sampler's folder when Spark stops; the program may go on, and fail later."""

    def test_a_complaint_leaves_no_file_in_the_programs_folder(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            environment = mock.patch.dict(os.environ, SPARKPROF_RING_FOLDER=os.path.join(folder, "removed"))
            with environment, mock.patch.object(_sampler, "_running_pid", os.getpid()):
                _sampler.complain("end", "text")
            self.assertEqual(os.listdir(folder), [])
