# SPDX-License-Identifier: Apache-2.0
"""Jobs on machines with full disks and tight limits: the profiled job ends as the plain one does, with or without a profile."""

import os

from spark_jobs import Spark, profiled, submit
from support import TestCase, execute, slow, write_file

SETTINGS_JOB = submit("settings_job.py", "stop")
UNPROFILED = "sparkprof: running without the profiler: "


class StarvedJobTest(TestCase):
    def setUp(self):
        super().setUp()
        self.spark = Spark()
        self.output = self.folder / "out"

    def run_under(self, setup, *command):
        """In a shell with file systems of its own, after `setup`."""
        shell = ["unshare", "--mount", "bash", "-c", f'mount --make-rprivate / && {setup} && exec "$@"', "bash"]
        return execute(*shell, *command, code=None, cwd=self.folder, env=self.spark.environment())

    def compare(self, setup, *job, options=()):
        """The messages of the profiled job, which must print and exit as the plain one."""
        if execute("unshare", "--mount", "true", code=None, text=False).returncode != 0:
            self.skipTest("mounting needs root")
        plain = self.run_under(setup, *job)
        self.assertEqual(plain.returncode, 0, f"{setup}: the job itself fails\n{plain.stderr[-3000:]}")
        done = self.run_under(setup, *profiled(self.output, job, options))
        self.assertEqual((done.returncode, done.stdout), (plain.returncode, plain.stdout), f"{setup}\n{done.stderr[-3000:]}")
        return done.stderr

    def assert_recorded(self, messages):
        self.assertTrue((self.output / "recording.sprof").exists(), messages[-3000:])

    def assert_unprofiled(self, messages, reason):
        lines = [line for line in messages.splitlines() if line.startswith("sparkprof: ")]
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith(UNPROFILED), lines)
        self.assertIn(reason, lines[0])
        self.assertFalse(self.output.exists(), "nothing is left of the attempt")

    def small(self, options):
        """A temporary folder of Java with these mount options, as a setup; it is the working directory, too."""
        small = self.folder / "small"
        small.mkdir()
        return f"mount -t tmpfs -o {options} tmpfs {small} && cd {small} && export JAVA_TOOL_OPTIONS=-Djava.io.tmpdir={small}"

    def test_three_megabytes_of_temporary_folder_suffice(self):
        self.assert_recorded(self.compare(self.small("size=3m"), *SETTINGS_JOB))

    @slow("rarer shortages are")
    def test_a_full_folder_for_blocks_of_spark_does_not_matter(self):
        setup = self.small("size=3m")
        job = submit("settings_job.py", "stop", conf={"spark.local.dir": self.folder / "small"})
        self.assert_recorded(self.compare(setup, *job))

    def test_without_room_for_the_agent_anywhere_the_job_runs_alone(self):
        setup = f"{self.small('size=3m')} && mount -t tmpfs -o size=3m tmpfs /dev/shm"
        self.assert_unprofiled(self.compare(setup, *SETTINGS_JOB), "small has only 3.0 MiB free")

    @slow("rarer shortages are")
    def test_where_nothing_may_be_executed_the_job_runs_alone(self):
        setup = f"{self.small('size=300m,noexec')} && mount -t tmpfs -o size=300m,noexec tmpfs /dev/shm"
        self.assert_unprofiled(self.compare(setup, *SETTINGS_JOB), "small is mounted noexec")

    def test_a_limit_of_file_sizes_lets_the_job_run_alone(self):
        jar = self.spark.compile_job("KnownLoad", self.folder)
        for job in (SETTINGS_JOB, submit(jar, "threads", "0.1", "2", "0")):
            self.assert_unprofiled(self.compare("ulimit -f 2000", *job), "ulimit -f")

    @slow("rarer shortages are")
    def test_few_descriptors_are_left_to_the_job(self):
        messages = self.compare("ulimit -n 420; export SPARKPROF_CPU_KERNEL=true", *SETTINGS_JOB)
        self.assert_recorded(messages)
        self.assertIn("cpu without kernel frames", messages)

    @slow("rarer shortages are")
    def test_a_folder_for_recordings_that_is_full_or_read_only_lets_the_job_run_alone(self):
        disk = self.folder / "disk"
        disk.mkdir()
        self.output = disk / "out"
        for options, reason in (("size=1m", "has only"), ("size=100m,ro", "Read-only file system")):
            self.assert_unprofiled(self.compare(f"mount -t tmpfs -o {options} tmpfs {disk}", *SETTINGS_JOB), reason)

    @slow("rarer shortages are")
    def test_a_jar_that_is_missing_or_damaged_lets_the_job_run_alone(self):
        damaged = self.folder / "damaged.jar"
        damaged.write_bytes(os.urandom(1000))
        for jar, reason in ((damaged, "damaged.jar"), (self.folder / "none.jar", "missing or unreadable")):
            self.assert_unprofiled(self.compare("true", *SETTINGS_JOB, options=["--plugin-jar", jar]), reason)

    @slow("rarer shortages are")
    def test_processes_that_cannot_be_started_do_not_end_the_job(self):
        # The agent is killed as soon as it starts: as where a security policy forbids it.
        agent = write_file(self.folder / "agent", "#!/bin/sh\nexit 1\n", 0o755)
        self.compare("true", *submit("settings_job.py", "stop", conf={"spark.sparkprof.agentPath": agent}))
