# SPDX-License-Identifier: Apache-2.0
"""Recordings of earlier versions show what the version that wrote them showed."""

import unittest

from run_case import FOLDER
from support import json_of, sparkprof

RECORDING = FOLDER / "recordings" / "0.1.sprof"


class CompatibilityTest(unittest.TestCase):
    def test_a_recording_of_0_1_is_read_as_a_whole(self):
        info = json_of("info", RECORDING)
        (application,) = info["applications"]
        self.assertEqual((application["name"], application["sparkVersion"], application["complete"]), ("golden", "3.5.7", True))
        self.assertEqual(info["counts"], {"jobs": 2, "stages": 3, "tasks": 5, "executors": 1})
        samples = {event: (of["count"], of["weight"], of["onTaskThreads"], of["joined"]) for event, of in info["samples"].items()}
        expected = {"alloc": (112, 589016651, 31, 31), "cpu": (1563, 11888889855, 375, 375), "lock": (62, 36036176228, 23, 23)}
        self.assertEqual(samples, expected | {"wall": (22949, 2164145889218, 146, 146)})
        tasks = json_of("show", "tasks", RECORDING)
        self.assertEqual([task["duration"] for task in tasks if task["taskId"] == 0], [6130])
        self.assertEqual(json_of("show", "executors", RECORDING)[0]["totalDuration"], 15510)

    def test_the_flame_graph_of_a_recording_of_0_1_has_the_python_function(self):
        self.assertIn("slow (job.py", sparkprof("flame", RECORDING, "--format", "collapsed").stdout)
