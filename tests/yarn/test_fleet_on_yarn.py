# SPDX-License-Identifier: Apache-2.0
"""`sparkprof fleet analyze --master yarn` on logs in HDFS."""

import os
import signal

from fleet_job import FleetTest
from small_logs import fleet_log, write_fleet_logs
from yarn_job import YarnTest, java_of

EXECUTOR = "YarnCoarseGrainedExecutorBackend"


class FleetOnYarnTest(FleetTest, YarnTest):
    def test_logs_on_hdfs_are_read_once_though_an_executor_is_killed(self):
        count = 800
        logs = self.folder / "fleet-logs"
        logs.mkdir()
        write_fleet_logs(logs, count, tasks=400)
        self.cluster.file_system("-put", logs, f"{self.cluster.hdfs}/")
        process = self.start_fleet()
        self.await_task(process)
        os.kill(java_of(EXECUTOR)[0], signal.SIGKILL)
        self.assertEqual(self.counts(process), f"{count} applications, 0 failed, 0 unchanged")
        # The next run reads only the new log.
        new = logs / f"app-{count:05}"
        new.write_text(fleet_log(count, tasks=1))
        self.cluster.file_system("-put", new, f"{self.cluster.hdfs}/fleet-logs/")
        self.assertEqual(self.counts(self.start_fleet()), f"1 applications, 0 failed, {count} unchanged")

    def start_fleet(self):
        settings = [word for word in self.cluster.submit_options(self.spark) if "=" in word]
        settings += ["spark.driver.memory=512m", "spark.executor.memory=512m", "spark.executor.cores=1"]
        return self.start_analysis(f"{self.cluster.hdfs}/fleet-logs", "yarn", settings, self.environment())
