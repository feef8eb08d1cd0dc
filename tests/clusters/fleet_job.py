# SPDX-License-Identifier: Apache-2.0
"""`sparkprof fleet analyze` as a job of a cluster."""

from cluster_job import ClusterTest
from small_logs import fleet_log, write_fleet_logs
from support import PLUGIN_JAR, REPOSITORY, SHOWN, SPARKPROF, execute, wait_until


class FleetTest(ClusterTest):
    def setUp(self):
        super().setUp()
        # The program is copied to the hosts, whose disks are small.
        self.program = self.folder / "bin" / "sparkprof"
        self.program.parent.mkdir()
        execute("strip", "-o", self.program, SPARKPROF)
        (self.folder / "lib").symlink_to(REPOSITORY / "lib")
        self.output = self.folder / "fleet"

    def check_that_logs_are_read_once(self, store, kill):
        """Analyzes logs and kills an executor meanwhile. `store(PATH)` brings a folder of logs, or a log in it, to their place."""
        count = 800
        logs = self.folder / "fleet-logs"
        logs.mkdir()
        write_fleet_logs(logs, count, tasks=400)
        store(logs)
        process = self.start_fleet()
        self.await_task(process)
        kill()
        self.assertEqual(self.counts(process), f"{count} applications, 0 failed, 0 unchanged")
        # The next run reads only the new log.
        new = logs / f"app-{count:05}"
        new.write_text(fleet_log(count, tasks=1))
        store(new)
        self.assertEqual(self.counts(self.start_fleet()), f"1 applications, 0 failed, {count} unchanged")

    def start_analysis(self, location, master, settings, environment):
        """Starts it; see counts()."""
        command = [self.program, "fleet", "analyze", location, "--output", self.output, "--master", master, "--plugin-jar", PLUGIN_JAR]
        return self.start(*command, *(word for setting in settings for word in ("--conf", setting)), env=environment)

    def await_task(self, process):
        """Waits until executors read logs."""
        wait_until(lambda: "Starting task 1.0" in self.printed() or process.poll() is not None, "a task")
        self.assertIsNone(process.poll(), self.printed()[-SHOWN:])

    def counts(self, process):
        """The last line of its output."""
        return self.finish(process).stdout.splitlines()[-1]
