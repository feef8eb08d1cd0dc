# SPDX-License-Identifier: Apache-2.0
"""Concurrent jobs in which tasks fail and are retried, are killed with their job, and run speculatively.

Needs local-cluster or a standalone master (task retries). Prints one line a job: its name and how it ended.
"""

import threading
import time

from pyspark import TaskContext
from pyspark.sql import SparkSession


def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))


def fail_first_attempt(number):
    spin(0.02)
    if TaskContext.get().attemptNumber() == 0 and number % 10 == 0:
        raise ValueError(f"first attempt of {number} fails")
    return number


def slow_first_copy(number):
    if number == 0 and TaskContext.get().attemptNumber() == 0:
        time.sleep(600)
    spin(0.05)
    return number


def sleep_for_long(number):
    time.sleep(600)
    return number


def main():
    spark = SparkSession.builder.appName("Troubled").getOrCreate()
    context = spark.sparkContext
    lines = {}

    def run(name, function, tasks):
        try:
            context.setJobGroup(name, name, True)
            lines[name] = f"{name} {sum(context.parallelize(range(tasks), tasks).map(function).collect())}"
        except Exception as error:  # the job that is cancelled below
            lines[name] = f"{name} ended: {'cancelled' in str(error).lower()}"

    def runs(name):
        """Whether both tasks of the group's job do."""
        tracker = context.statusTracker()
        jobs = filter(None, map(tracker.getJobInfo, tracker.getJobIdsForGroup(name)))
        stages = filter(None, (tracker.getStageInfo(stage) for job in jobs for stage in job.stageIds))
        return sum(stage.numActiveTasks for stage in stages) == 2

    threads = [
        threading.Thread(target=run, args=arguments)
        for arguments in (("retried", fail_first_attempt, 20), ("cancelled", sleep_for_long, 2), ("speculative", slow_first_copy, 8))
    ]
    for thread in threads:
        thread.start()
    threads[0].join()
    # On a slow machine it may still be on its way.
    while not runs("cancelled"):
        time.sleep(0.05)
    context.cancelJobGroup("cancelled")
    for thread in threads:
        thread.join()
    for name in sorted(lines):
        print(lines[name])
    spark.stop()


if __name__ == "__main__":
    main()
