# SPDX-License-Identifier: Apache-2.0
"""Recordings of earlier versions show what the version that wrote them showed."""

import json
import os
import pathlib
import subprocess
import unittest

SPARKPROF = os.environ.get("SPARKPROF_BIN", str(pathlib.Path(__file__).resolve().parents[2] / "bin" / "sparkprof"))
RECORDINGS = pathlib.Path(__file__).resolve().parent / "recordings"


def shown(*arguments):
    done = subprocess.run([SPARKPROF, *map(str, arguments), "--json"], capture_output=True, text=True, check=True, timeout=300)
    return json.loads(done.stdout)


class CompatibilityTest(unittest.TestCase):
    def test_a_recording_of_0_1_is_read_as_a_whole(self):
        recording = RECORDINGS / "0.1.sprof"
        info = shown("info", recording)
        (application,) = info["applications"]
        self.assertEqual((application["name"], application["sparkVersion"], application["complete"]), ("golden", "3.5.7", True))
        self.assertEqual(info["counts"], {"jobs": 2, "stages": 3, "tasks": 5, "executors": 1})
        samples = {event: (of["count"], of["weight"], of["onTaskThreads"], of["joined"]) for event, of in info["samples"].items()}
        self.assertEqual(
            samples,
            {
                "alloc": (112, 589016651, 31, 31),
                "cpu": (1563, 11888889855, 375, 375),
                "lock": (62, 36036176228, 23, 23),
                "wall": (20666, 2066600000000, 146, 146),
            },
        )
        tasks = shown("show", "tasks", recording)
        self.assertEqual([task["duration"] for task in tasks if task["taskId"] == 0], [6130])
        self.assertEqual(shown("show", "executors", recording)[0]["totalDuration"], 15510)

    def test_the_flame_graph_of_a_recording_of_0_1_has_the_python_function(self):
        done = subprocess.run(
            [SPARKPROF, "flame", RECORDINGS / "0.1.sprof", "--format", "collapsed"], capture_output=True, text=True, check=True, timeout=300
        )
        self.assertIn("slow (job.py", done.stdout)


if __name__ == "__main__":
    unittest.main()
