# SPDX-License-Identifier: Apache-2.0
"""Jobs on machines with full disks and tight limits: the profiled job ends as the plain one does, with or without a profile."""

import os
import subprocess

from support import DEADLINE, JOBS, SPARKPROF, Spark, TestCase, slow

SETTINGS_JOB = JOBS / "settings_job.py"
UNPROFILED = "sparkprof: running without the profiler: "


class StarvedJobTest(TestCase):
    def setUp(self):
        super().setUp()
        self.spark = Spark("4.1.1")
        self.output = self.folder / "out"

    def run_under(self, setup, *command):
        """In a shell with file systems of its own, after `setup`."""
        return subprocess.run(
            ["unshare", "--mount", "bash", "-c", f'mount --make-rprivate / && {setup} && exec "$@"', "bash", *map(str, command)],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self.spark.environment(),
            timeout=DEADLINE,
            check=False,
        )

    def compare(self, setup, *job, options=()):
        """The messages of the profiled job, which must print and exit as the plain one."""
        if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("mounting needs root")
        plain = self.run_under(setup, *job)
        self.assertEqual(plain.returncode, 0, f"{setup}: the job itself fails\n{plain.stderr[-3000:]}")
        profiled = self.run_under(setup, SPARKPROF, "run", "--output-dir", self.output, *options, "--", *job)
        self.assertEqual((profiled.returncode, profiled.stdout), (plain.returncode, plain.stdout), f"{setup}\n{profiled.stderr[-3000:]}")
        return profiled.stderr

    def submit(self, *options):
        return ["spark-submit", "--master", "local[2]", *options, SETTINGS_JOB, "stop"]

    def jvm_job(self):
        jar = self.spark.compile_job("KnownLoad", self.folder)
        return ["spark-submit", "--master", "local[2]", "--class", "KnownLoad", jar, "threads", "0.1", "2", "0"]

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
        self.assert_recorded(self.compare(self.small("size=3m"), *self.submit()))

    @slow("rarer shortages are")
    def test_a_full_folder_for_blocks_of_spark_does_not_matter(self):
        setup = self.small("size=3m")
        options = ["--conf", f"spark.local.dir={self.folder / 'small'}"]
        self.assert_recorded(self.compare(setup, *self.submit(*options)))

    def test_without_room_for_the_agent_anywhere_the_job_runs_alone(self):
        setup = f"{self.small('size=3m')} && mount -t tmpfs -o size=3m tmpfs /dev/shm"
        self.assert_unprofiled(self.compare(setup, *self.submit()), "small has only 3.0 MiB free")

    @slow("rarer shortages are")
    def test_where_nothing_may_be_executed_the_job_runs_alone(self):
        setup = f"{self.small('size=300m,noexec')} && mount -t tmpfs -o size=300m,noexec tmpfs /dev/shm"
        self.assert_unprofiled(self.compare(setup, *self.submit()), "small is mounted noexec")

    def test_a_limit_of_file_sizes_lets_the_job_run_alone(self):
        for job in (self.submit(), self.jvm_job()):
            self.assert_unprofiled(self.compare("ulimit -f 2000", *job), "ulimit -f")

    @slow("rarer shortages are")
    def test_few_descriptors_are_left_to_the_job(self):
        messages = self.compare("ulimit -n 420; export SPARKPROF_CPU_KERNEL=true", *self.submit())
        self.assert_recorded(messages)
        self.assertIn("cpu without kernel frames", messages)

    @slow("rarer shortages are")
    def test_a_folder_for_recordings_that_is_full_or_read_only_lets_the_job_run_alone(self):
        disk = self.folder / "disk"
        disk.mkdir()
        self.output = disk / "out"
        for options, reason in (("size=1m", "has only"), ("size=100m,ro", "Read-only file system")):
            self.assert_unprofiled(self.compare(f"mount -t tmpfs -o {options} tmpfs {disk}", *self.submit()), reason)

    @slow("rarer shortages are")
    def test_a_jar_that_is_missing_or_damaged_lets_the_job_run_alone(self):
        damaged = self.folder / "damaged.jar"
        damaged.write_bytes(os.urandom(1000))
        for jar, reason in ((damaged, "damaged.jar"), (self.folder / "none.jar", "missing or unreadable")):
            self.assert_unprofiled(self.compare("true", *self.submit(), options=["--plugin-jar", jar]), reason)

    @slow("rarer shortages are")
    def test_processes_that_cannot_be_started_do_not_end_the_job(self):
        # The agent is killed as soon as it starts: as where a security policy forbids it.
        agent = self.folder / "agent"
        agent.write_text("#!/bin/sh\nexit 1\n")
        agent.chmod(0o755)
        self.compare("true", *self.submit("--conf", f"spark.sparkprof.agentPath={agent}"))
