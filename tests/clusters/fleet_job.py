# SPDX-License-Identifier: Apache-2.0
"""`sparkprof fleet analyze` as a job of a cluster."""

import subprocess

from cluster_job import ClusterTest
from support import PLUGIN_JAR, REPOSITORY, SPARKPROF, wait_until


class FleetTest(ClusterTest):
    def setUp(self):
        super().setUp()
        # The program is copied to the hosts, whose disks are small.
        self.program = self.folder / "bin" / "sparkprof"
        self.program.parent.mkdir()
        subprocess.run(["strip", "-o", str(self.program), SPARKPROF], check=True)
        (self.folder / "lib").symlink_to(REPOSITORY / "lib")
        self.output = self.folder / "fleet"

    def start_analysis(self, location, master, settings, environment):
        """Starts it; see counts()."""
        command = [self.program, "fleet", "analyze", location, "--output", self.output, "--master", master, "--plugin-jar", PLUGIN_JAR]
        for setting in settings:
            command += ["--conf", setting]
        return self.start_program(command, environment)

    def await_task(self, process):
        """Waits until executors read logs."""
        wait_until(lambda: "Starting task 1.0" in (self.folder / "stderr").read_text() or process.poll() is not None, "a task")
        self.assertIsNone(process.poll(), (self.folder / "stderr").read_text()[-4000:])

    def counts(self, process):
        """The last line of its output."""
        profile = self.finish(process)
        self.assertEqual(profile.process.returncode, 0, profile.process.stderr[-4000:])
        return profile.process.stdout.splitlines()[-1]
