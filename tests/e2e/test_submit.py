# SPDX-License-Identifier: Apache-2.0
"""sparkprof-submit in the place of spark-submit: what is no submission passes through, and a scheduler reads only the job's output."""

import os
import pathlib
import re
import signal

from proc import command_of
from spark_jobs import Spark
from support import SPARKPROF, TestCase, execute, wait_until, write_file

# Patterns that Airflow's hook (apache-airflow-providers-apache-spark 6.3.4) searches in each line.
READ_BY_AIRFLOW = (
    r"application[0-9_]+",
    r"\s*pod name: ((.+?)-([a-z0-9]+)-driver$)",
    r"submission ID spark:(.+?-driver)",
    r"\s*spark-app-selector -> (spark-([a-z0-9]+)), ",
    r"\s*[eE]xit code: (\d+)",
    r"driver-[0-9\-]+",
    r'Exception in thread "[^"]*"',
)
PI = "from pyspark.sql import SparkSession; s = SparkSession.builder.getOrCreate(); print(s.range(10).count())"
FAKE = """#!/bin/sh
printf '<%s>' "$@"
echo "to the other side" >&2
exit 3
"""


class SubmitTest(TestCase):
    def setUp(self):
        super().setUp()
        self.submit = self.folder / "bin" / "sparkprof-submit"
        self.submit.parent.mkdir()
        self.submit.symlink_to(pathlib.Path(SPARKPROF).resolve())
        self.fake = write_file(self.folder / "fake" / "spark-submit", FAKE, 0o755)

    def run_command(self, *command, environment):
        return execute(*command, code=None, text=False, env=environment, cwd=self.folder)

    def fake_environment(self, *folders):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "SPARKPROF_"))}
        environment["PATH"] = ":".join([*map(str, folders), str(self.fake.parent), environment["PATH"]])
        return environment

    def assert_alike(self, submit, real, *arguments, environment):
        ours = self.run_command(submit, *arguments, environment=environment)
        plain = self.run_command(real, *arguments, environment=environment)
        self.assertEqual((ours.returncode, ours.stdout, ours.stderr), (plain.returncode, plain.stdout, plain.stderr))

    def test_questions_pass_through_byte_for_byte(self):
        for arguments in (["--master", "spark://m:6066", "--status", "driver-1"], ["--kill", "driver-1"], ["--version"], ["--help"], []):
            with self.subTest(arguments=arguments):
                self.assert_alike(self.submit, self.fake, *arguments, environment=self.fake_environment())

    def test_sparks_own_version_and_usage(self):
        spark = Spark()
        for arguments in (["--version"], []):
            with self.subTest(arguments=arguments):
                real = spark.venv / "bin" / "spark-submit"
                self.assert_alike(self.submit, real, *arguments, environment=spark.environment())

    def test_a_link_named_spark_submit_finds_the_real_one_behind_it(self):
        link = self.submit.parent / "spark-submit"
        link.symlink_to("sparkprof-submit")
        self.assert_alike("spark-submit", self.fake, "--version", environment=self.fake_environment(link.parent))

    def test_without_a_spark_submit_it_exits_as_a_shell(self):
        environment = {**self.fake_environment(), "PATH": str(self.submit.parent)}
        result = self.run_command(self.submit, "job.py", environment=environment)
        self.assertEqual((result.returncode, result.stdout), (127, b""))
        self.assertEqual(result.stderr, b"sparkprof: cannot find spark-submit: add it to PATH, or set SPARK_HOME\n")

    def submit_job(self, text, **more):
        spark = Spark()
        job = self.folder / "job.py"
        job.write_text(text)
        runs = self.folder / "runs"
        environment = spark.environment(**{"SPARKPROF_RUNS_DIR": runs, **more})
        result = self.run_command(self.submit, "--master", "local[1]", job, environment=environment)
        return result, result.stderr.decode()

    def test_a_submission_leaves_a_report_and_keeps_output_and_exit_code(self):
        result, messages = self.submit_job(PI + "; s.stop(); raise SystemExit(5)")
        self.assertEqual((result.returncode, result.stdout), (5, b"10\n"), messages)
        [report] = re.findall(r"(?m)^sparkprof: report: (.+)$", messages)
        [recording] = re.findall(r"(?m)^sparkprof: recording: (.+)$", messages)
        self.assertTrue(pathlib.Path(report).is_file())
        self.assertTrue(pathlib.Path(recording).is_file())
        self.assertEqual(pathlib.Path(report).parents[1], self.folder / "runs")

    def test_airflow_finds_nothing_of_its_own_in_what_sparkprof_prints(self):
        # Every line with a path would be taken for an application's ID.
        _, messages = self.submit_job(
            "raise RuntimeError('Exit code: 9')",
            SPARKPROF_RUNS_DIR=str(self.folder / "application_1_0001"),
            SPARKPROF_LABEL="driver-20261125",
        )
        own = [line for line in messages.splitlines() if line.startswith("sparkprof:")]
        self.assertEqual([line for line in own if any(re.search(read, line) for read in READ_BY_AIRFLOW)], [])

    def test_a_wrong_setting_does_not_keep_a_job_from_running(self):
        result, messages = self.submit_job(PI, SPARKPROF_EVENTS="gpu")
        self.assertEqual((result.returncode, result.stdout), (0, b"10\n"), messages)
        self.assertIn("sparkprof: running without the profiler: ", messages)

    def test_a_kill_ends_the_job_too(self):
        mark = self.folder / "job.pid"
        # The first words are Spark's options that sparkprof adds.
        self.fake.write_text('#!/bin/sh\nfor last; do :; done\necho $$ > "$last.pid"\nexec sleep 1000\n')
        process = self.start(self.submit, self.folder / "job", env=self.fake_environment(), cwd=self.folder)
        pid = int(wait_until(lambda: mark.exists() and mark.read_text().strip(), "the job to start"))
        process.send_signal(signal.SIGKILL)
        process.wait()
        wait_until(lambda: not command_of(pid), "the job to end")
