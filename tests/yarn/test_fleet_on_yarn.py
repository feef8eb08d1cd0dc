# SPDX-License-Identifier: Apache-2.0
"""`sparkprof fleet analyze --master yarn` on logs in HDFS."""

import os
import signal

from fleet_job import FleetTest
from yarn_job import YarnTest, java_of

EXECUTOR = "YarnCoarseGrainedExecutorBackend"


class FleetOnYarnTest(FleetTest, YarnTest):
    def test_logs_on_hdfs_are_read_once_though_an_executor_is_killed(self):
        def store(path):
            self.cluster.file_system("-put", path, f"{self.cluster.hdfs}/" + ("" if path.is_dir() else "fleet-logs/"))

        self.check_that_logs_are_read_once(store, lambda: os.kill(java_of(EXECUTOR)[0], signal.SIGKILL))

    def start_fleet(self):
        settings = [word for word in self.cluster.submit_options(self.spark) if "=" in word]
        settings += ["spark.driver.memory=512m", "spark.executor.memory=512m", "spark.executor.cores=1"]
        return self.start_analysis(f"{self.cluster.hdfs}/fleet-logs", "yarn", settings, self.environment())
