# SPDX-License-Identifier: Apache-2.0
"""Guarantees of `sparkprof run` about the job: same output, same exit code, same settings, nothing left behind."""

import os
import pathlib
import signal
import subprocess
import sys
import unittest

from support import (
    DEADLINE,
    JOBS,
    SLOW,
    SPARK_VERSIONS,
    SPARKPROF,
    VERSIONS_OF_LONG_TESTS,
    Spark,
    TestCase,
    run_profiled,
    slow,
    sparkprof,
    wait_until,
)

SETTINGS_JOB = JOBS / "settings_job.py"
OWN_FILES = {"recording.sprof", "report.html", "flame.svg", "summary.json"}

# Prints the number of each signal it gets; SIGUSR1 ends it.
COUNTER = """
import os, signal, time
def say(number, frame):
    os.write(1, f"{number}\\n".encode())
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(number) != signal.SIG_IGN:
        signal.signal(number, say)
signal.signal(signal.SIGUSR1, signal.SIG_DFL)
os.write(1, b"ready\\n")
while True:
    time.sleep(1)
"""


class AnyCommandTest(TestCase):
    """Without Spark: what holds for every command."""

    def run_command(self, *command, **popen):
        return subprocess.run(
            [SPARKPROF, "run", "--", *command], capture_output=True, text=True, cwd=self.folder, timeout=DEADLINE, **popen
        )

    def start_counter(self, hangup="--default-signal=HUP"):
        """hangup: set here, because the tests' own way to take SIGHUP, inherited, may be that of nohup."""
        process = subprocess.Popen(
            ["env", hangup, SPARKPROF, "run", "--", sys.executable, "-c", COUNTER],
            cwd=self.folder,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def job_of(self, process):
        for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                parent = int(entry.read_text().rsplit(")", 1)[1].split()[1])
                name = (entry.parent / "cmdline").read_bytes()
            except OSError:
                continue
            if parent == process.pid and name.startswith(sys.executable.encode() + b"\0"):
                return int(entry.parent.name)
        raise AssertionError("the job does not run")

    def signals_until_quit(self, process):
        """Signals that the job gets before the SIGQUIT; sparkprof forwards one signal after the other."""
        wait_until(lambda: not self.pending(process.pid), "sparkprof to take its signals")
        os.kill(process.pid, signal.SIGQUIT)
        got = []
        for line in process.stdout:
            if int(line) == signal.SIGQUIT:
                break
            got.append(int(line))
        os.kill(self.job_of(process), signal.SIGUSR1)
        process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 128 + signal.SIGUSR1)
        return sorted(got)

    @staticmethod
    def pending(pid):
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("ShdPnd"):
                return int(line.split()[1], 16)
        return 0

    def test_exit_codes_are_the_commands(self):
        for script, code in (("exit 0", 0), ("exit 7", 7), ("kill -KILL $$", 137), ("kill -TERM $$", 143)):
            self.assertEqual(self.run_command("bash", "-c", script).returncode, code, script)

    def test_a_command_that_cannot_start_exits_as_in_a_shell(self):
        self.assertEqual(self.run_command("no-such-command").returncode, 127)
        self.assertEqual(self.run_command("/etc/passwd").returncode, 126)

    def test_input_and_output_are_the_commands_alone(self):
        result = self.run_command("cat", input="through\n")
        self.assertEqual(result.stdout, "through\n")
        self.assertIn("no recording", result.stderr)

    def test_arguments_arrive_unchanged(self):
        words = ["", "a b", "--", "--output", "x", "*", "$HOME", '"', "ä\n"]
        result = self.run_command(sys.executable, "-c", "import sys; print(sys.argv[1:])", *words)
        self.assertEqual(result.stdout, f"{words}\n")

    def test_the_working_directory_is_left_clean(self):
        self.run_command("true")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_folder_with_other_things_is_refused_before_the_job_starts(self):
        (self.folder / "thesis.tex").write_text("mine")
        result = subprocess.run(
            [SPARKPROF, "run", "--output-dir", str(self.folder), "--", "touch", str(self.folder / "started")],
            capture_output=True,
            text=True,
            timeout=DEADLINE,
        )
        self.assertEqual(result.returncode, 2)
        self.assertEqual(os.listdir(self.folder), ["thesis.tex"])

    def test_wrong_usage_exits_with_2(self):
        for arguments in (["--event", "gpu", "--", "true"], ["--cpu-interval", "fast", "--", "true"], []):
            result = subprocess.run([SPARKPROF, "run", *arguments], capture_output=True, text=True, timeout=DEADLINE)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)

    def test_a_signal_to_the_group_reaches_the_job_once(self):
        process = self.start_counter()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.killpg(process.pid, number)
        self.assertEqual(self.signals_until_quit(process), [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])

    def test_a_signal_to_sparkprof_alone_is_passed_on(self):
        process = self.start_counter()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(process.pid, number)
        self.assertEqual(self.signals_until_quit(process), [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])

    def test_what_nohup_switched_off_stays_off(self):
        process = self.start_counter("--ignore-signal=HUP")
        os.kill(process.pid, signal.SIGHUP)
        os.killpg(process.pid, signal.SIGHUP)
        self.assertEqual(self.signals_until_quit(process), [])


class SparkJobTest(TestCase):
    """The profiled job is the plain job; in the slow set with each pinned Spark."""

    def plain(self, spark, command, **environment):
        return subprocess.run(
            [str(word) for word in command],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=spark.environment(**environment),
            timeout=DEADLINE,
        )

    def compare(self, spark, command, want_code=0, **environment):
        """Runs the job plain and profiled; both print and exit alike, and a report is there."""
        plain = self.plain(spark, command, **environment)
        plain_code = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
        self.assertEqual(plain_code, want_code, plain.stderr[-3000:])
        before = set(os.listdir(self.folder))
        profile = run_profiled(spark, self.folder / "out", command, cwd=self.folder, **environment)
        self.assertEqual(profile.process.returncode, want_code, profile.process.stderr[-3000:])
        if want_code == 137:  # a killed JVM may or may not have passed on the last lines of its Python process
            self.assertTrue(profile.process.stdout, "the lines before the kill")
            shorter, longer = sorted((profile.process.stdout, plain.stdout), key=len)
            self.assertTrue(longer.startswith(shorter), (plain.stdout, profile.process.stdout))
        else:
            self.assertEqual(profile.process.stdout, plain.stdout)
        self.assert_report(profile)
        self.assertEqual(set(os.listdir(self.folder)) - before, {"out"})
        return profile

    def assert_report(self, profile):
        self.assertTrue(profile.output.is_dir(), profile.process.stderr[-3000:])
        self.assertEqual(set(os.listdir(profile.output)), OWN_FILES, profile.process.stderr[-3000:])
        self.assertEqual(len(profile.info()["applications"]), 1)

    def with_each_spark(self, check):
        for version in VERSIONS_OF_LONG_TESTS:
            with self.subTest(spark=version):
                self.setUp()
                check(Spark(version))

    def test_ends_as_the_plain_job_does(self):
        def check(spark):
            ends = [("killed", 137), ("exception", 1), ("System.exit", 3)]
            if SLOW:
                ends += [("stop", 0), ("sys.exit", 3)]
            for end, code in ends:
                with self.subTest(end=end):
                    self.setUp()
                    self.compare(spark, ["spark-submit", SETTINGS_JOB, end], code)

        self.with_each_spark(check)

    def test_what_the_user_set_on_the_command_line_and_in_files_stays(self):
        def check(spark):
            jar = spark.compile_job("UserPlugin", self.folder)
            (self.folder / "my.conf").write_text(
                f"spark.jars : {jar}\nspark.plugins = UserPlugin\nspark.user.order file\n"
                "spark.driver.extraJavaOptions -Duser.property=set\n"
            )
            profile = self.compare(
                spark,
                [
                    "spark-submit",
                    "--properties-file",
                    self.folder / "my.conf",
                    "--conf",
                    "spark.user.blanks=a  'b' \"c\"",
                    "--conf=spark.user.order=first",
                    "-c",
                    "spark.user.order=last",
                    "--name",
                    "two words",
                    SETTINGS_JOB,
                    "stop",
                ],
            )
            for line in (
                "spark.app.name=two words",
                "spark.plugins=UserPlugin",
                "spark.user.blanks=a  'b' \"c\"",
                "spark.user.order=last",
                "jars: UserPlugin.jar",
                "property: set",
                "user plugin runs",
            ):
                self.assertIn(line + "\n", profile.process.stdout)

        self.with_each_spark(check)

    @slow("the configuration folder is")
    def test_spark_defaults_and_jars_stay(self):
        def check(spark):
            jar = spark.compile_job("UserPlugin", self.folder)
            conf = self.folder / "conf"
            conf.mkdir()
            (conf / "spark-defaults.conf").write_text("spark.plugins UserPlugin\nspark.user.order defaults\n")
            profile = self.compare(spark, ["spark-submit", "--jars", jar, SETTINGS_JOB, "stop"], SPARK_CONF_DIR=str(conf))
            self.assertIn("user plugin runs\n", profile.process.stdout)
            self.assertIn("spark.user.order=defaults\n", profile.process.stdout)

        self.with_each_spark(check)

    @slow("a session that the program builds alone is")
    def test_a_program_with_its_own_session(self):
        def check(spark):
            jar = spark.compile_job("UserPlugin", self.folder)
            profile = self.compare(
                spark,
                ["python", SETTINGS_JOB, "none", f"spark.jars={jar}", "spark.plugins=UserPlugin"],
                PYSPARK_SUBMIT_ARGS='--conf "spark.user.blanks=a b" --driver-java-options -Duser.property=set pyspark-shell',
            )
            for line in ("user plugin runs", "spark.user.blanks=a b", "property: set", "jars: UserPlugin.jar"):
                self.assertIn(line + "\n", profile.process.stdout)

        self.with_each_spark(check)

    def test_a_program_with_its_own_session_master_and_jars_gets_executors_that_start(self):
        def check(spark):
            jar = spark.compile_job("UserPlugin", self.folder)
            profile = run_profiled(
                spark,
                self.folder / "out",
                [
                    "python",
                    SETTINGS_JOB,
                    "stop",
                    f"spark.jars={jar}",
                    "spark.plugins=UserPlugin",
                    "spark.master=local-cluster[1,1,512]",
                    "spark.executor.memory=512m",
                ],
                cwd=self.folder,
            )
            self.assert_succeeded(profile)
            self.assertIn("user plugin runs\n", profile.process.stdout)
            self.assertIn("rows: 50\n", profile.process.stdout)
            self.assertEqual(profile.info()["counts"]["executors"], 1)

        self.with_each_spark(check)

    @slow("spark-sql is")
    def test_spark_sql(self):
        spark = Spark(SPARK_VERSIONS[0])
        command = ["spark-sql", "--conf", f"spark.sql.warehouse.dir={self.folder}/warehouse", "-e", "select 'a b', 1 + 1"]
        self.compare(spark, command)

    def test_ctrl_c_still_gives_a_report(self):
        def check(spark):
            for command in ("spark-submit", "python"):
                with self.subTest(command=command):
                    self.setUp()
                    self.interrupt(spark, command)

        self.with_each_spark(check)

    def interrupt(self, spark, command):
        process = subprocess.Popen(
            [SPARKPROF, "run", "--output-dir", str(self.folder / "out"), "--", command, str(SETTINGS_JOB), "sleep"],
            cwd=self.folder,
            env=spark.environment(),
            text=True,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(process.kill)
        for line in process.stdout:
            if line == "sleeping\n":
                break
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=DEADLINE)
        self.assertIn(process.returncode, (1, 130))
        self.assertEqual(set(os.listdir(self.folder / "out")), OWN_FILES)
        self.assertEqual(sparkprof("info", "--json", self.folder / "out" / "recording.sprof").returncode, 0)

    def test_an_earlier_output_is_replaced(self):
        spark = Spark(SPARK_VERSIONS[0])
        (self.folder / "out").mkdir()
        (self.folder / "out" / "report.html").write_text("old")
        profile = run_profiled(spark, self.folder / "out", ["spark-submit", SETTINGS_JOB, "stop"], cwd=self.folder)
        self.assert_report(profile)
        self.assertNotEqual((profile.output / "report.html").read_text()[:10], "old")

    def test_recordings_stay_where_dir_says(self):
        spark = Spark(SPARK_VERSIONS[0])
        profile = run_profiled(
            spark,
            self.folder / "out",
            ["spark-submit", SETTINGS_JOB, "stop"],
            options=["--dir", f"file:{self.folder}/kept", "--no-report", "--event", "cpu"],
            cwd=self.folder,
        )
        self.assert_succeeded(profile)
        self.assertEqual(os.listdir(profile.output), ["recording.sprof"])
        self.assertEqual(len(list((self.folder / "kept").rglob("*.sprof"))), 1)

    def test_files_in_a_hadoop_folder_become_one_at_the_end(self):
        spark = Spark(SPARK_VERSIONS[0])
        job = spark.compile_job("ManyStages", self.folder)
        settings = ["transport=hadoop", "uploadInterval=100ms", "dumpInterval=100ms"]
        conf = [word for setting in settings for word in ("--conf", f"spark.sparkprof.{setting}")]
        profile = run_profiled(
            spark,
            self.folder / "out",
            ["spark-submit", "--master", "local[2]", *conf, "--class", "ManyStages", job],
            options=["--dir", f"file:{self.folder}/kept", "--no-report"],
        )
        self.assert_succeeded(profile)
        info = profile.info()
        self.assertTrue(info["complete"], info["losses"])
        kept = [file.name for file in (self.folder / "kept").rglob("*.sprof*")]
        self.assertEqual(len(kept), 1, kept)
        self.assertGreater(int(kept[0].rsplit("-", 1)[1].split(".")[0]), 32, "fewer files were written than are merged at once")

    def test_says_that_profiling_is_switched_off(self):
        spark = Spark(SPARK_VERSIONS[0])
        profile = run_profiled(
            spark, self.folder / "out", ["spark-submit", SETTINGS_JOB, "stop"], cwd=self.folder, SPARKPROF_ENABLED="false"
        )
        self.assert_succeeded(profile)
        self.assertIn("running without the profiler: profiling is disabled", profile.process.stderr)
        self.assertFalse(profile.output.exists())


if __name__ == "__main__":
    unittest.main()
