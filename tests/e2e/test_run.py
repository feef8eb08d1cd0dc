# SPDX-License-Identifier: Apache-2.0
"""Guarantees of `sparkprof run` about the job: same output, same exit code, same settings, nothing left behind."""

import os
import pathlib
import signal
import subprocess
import sys

from proc import parent_of, processes_named, words_of
from spark_jobs import VERSIONS_OF_LONG_TESTS, Profile, Spark, profiled, run_job, run_profiled, submit
from support import DEADLINE, JOBS, SLOW, SPARKPROF, TestCase, execute, slow, sparkprof, wait_until, write_file

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

    def run_command(self, *command, code=0, **options):
        return sparkprof("run", "--", *command, code=code, cwd=self.folder, **options)

    def start_counter(self, hangup="--default-signal=HUP"):
        """hangup: set here, because the tests' own way to take SIGHUP, inherited, may be that of nohup."""
        command = ["env", hangup, SPARKPROF, "run", "--", sys.executable, "-c", COUNTER]
        process = self.start(*command, cwd=self.folder, text=True, stdout=subprocess.PIPE, start_new_session=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def job_of(self, process):
        [job] = [pid for pid in processes_named(COUNTER) if parent_of(pid) == process.pid and words_of(pid)[0] == sys.executable]
        return job

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
            self.run_command("bash", "-c", script, code=code)

    def test_a_command_that_cannot_start_exits_as_in_a_shell(self):
        self.run_command("no-such-command", code=127)
        self.run_command("/etc/passwd", code=126)

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
        sparkprof("run", "--output-dir", self.folder, "--", "touch", self.folder / "started", code=2)
        self.assertEqual(os.listdir(self.folder), ["thesis.tex"])

    def test_wrong_usage_exits_with_2(self):
        for arguments in (["--event", "gpu", "--", "true"], ["--cpu-interval", "fast", "--", "true"], []):
            self.assertEqual(sparkprof("run", *arguments, code=2).stdout, "", arguments)

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

    def compare(self, spark, command, want_code=0, **environment):
        """Runs the job plain and profiled; both print and exit alike, and a report is there."""
        plain = execute(*command, code=None, cwd=self.folder, env=spark.environment(**environment))
        plain_code = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
        self.assertEqual(plain_code, want_code, plain.stderr[-3000:])
        before = set(os.listdir(self.folder))
        profile = run_profiled(self.folder / "out", command, spark, code=want_code, cwd=self.folder, **environment)
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
                    self.compare(spark, submit(SETTINGS_JOB, end, master=None), code)

        self.with_each_spark(check)

    def test_what_the_user_set_on_the_command_line_and_in_files_stays(self):
        def check(spark):
            jar = spark.compile_job("UserPlugin", self.folder)
            (self.folder / "my.conf").write_text(
                f"spark.jars : {jar}\nspark.plugins = UserPlugin\nspark.user.order file\n"
                "spark.driver.extraJavaOptions -Duser.property=set\n"
            )
            blanks = "spark.user.blanks=a  'b' \"c\""
            options = ["--properties-file", self.folder / "my.conf", "--conf", blanks, "--conf=spark.user.order=first"]
            options += ["-c", "spark.user.order=last", "--name", "two words"]
            profile = self.compare(spark, submit(SETTINGS_JOB, "stop", master=None, options=options))
            settings = ("spark.app.name=two words", "spark.plugins=UserPlugin", blanks, "spark.user.order=last")
            for line in (*settings, "jars: UserPlugin.jar", "property: set", "user plugin runs"):
                self.assertIn(line + "\n", profile.process.stdout)

        self.with_each_spark(check)

    @slow("the configuration folder is")
    def test_spark_defaults_and_jars_stay(self):
        def check(spark):
            jar = spark.compile_job("UserPlugin", self.folder)
            conf = self.folder / "conf"
            conf.mkdir()
            (conf / "spark-defaults.conf").write_text("spark.plugins UserPlugin\nspark.user.order defaults\n")
            command = submit(SETTINGS_JOB, "stop", master=None, options=["--jars", jar])
            profile = self.compare(spark, command, SPARK_CONF_DIR=conf)
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
            own = (f"spark.jars={jar}", "spark.plugins=UserPlugin", "spark.master=local-cluster[1,1,512]", "spark.executor.memory=512m")
            profile = run_profiled(self.folder / "out", ["python", SETTINGS_JOB, "stop", *own], spark, cwd=self.folder)
            self.assertIn("user plugin runs\n", profile.process.stdout)
            self.assertIn("rows: 50\n", profile.process.stdout)
            self.assertEqual(profile.info()["counts"]["executors"], 1)

        self.with_each_spark(check)

    @slow("spark-sql is")
    def test_spark_sql(self):
        command = ["spark-sql", "--conf", f"spark.sql.warehouse.dir={self.folder}/warehouse", "-e", "select 'a b', 1 + 1"]
        self.compare(Spark(), command)

    def test_ctrl_c_still_gives_a_report(self):
        def check(spark):
            for command in (submit(SETTINGS_JOB, "sleep", master=None), ["python", SETTINGS_JOB, "sleep"]):
                with self.subTest(command=command[0]):
                    self.setUp()
                    self.interrupt(spark, command)

        self.with_each_spark(check)

    def interrupt(self, spark, command):
        words = profiled(self.folder / "out", command)
        process = self.start(*words, cwd=self.folder, env=spark.environment(), start_new_session=True)
        wait_until(lambda: "sleeping\n" in self.printed("stdout"), "the job to sleep")
        os.killpg(process.pid, signal.SIGINT)
        self.assertIn(process.wait(timeout=DEADLINE), (1, 130))
        self.assertEqual(set(os.listdir(self.folder / "out")), OWN_FILES)
        Profile(self.folder / "out").info()

    def test_an_earlier_output_is_replaced(self):
        write_file(self.folder / "out" / "report.html", "old", 0o644)
        profile = run_job(self.folder, SETTINGS_JOB, "stop", master=None, cwd=self.folder)
        self.assert_report(profile)
        self.assertNotEqual((profile.output / "report.html").read_text()[:10], "old")

    def test_recordings_stay_where_dir_says(self):
        options = ["--dir", f"file:{self.folder}/kept", "--no-report", "--event", "cpu"]
        profile = run_job(self.folder, SETTINGS_JOB, "stop", master=None, sparkprof=options, cwd=self.folder)
        self.assertEqual(os.listdir(profile.output), ["recording.sprof"])
        self.assertEqual(len(list((self.folder / "kept").rglob("*.sprof"))), 1)

    def test_files_in_a_hadoop_folder_become_one_at_the_end(self):
        conf = {"transport": "hadoop", "uploadInterval": "100ms", "dumpInterval": "100ms"}
        conf = {f"spark.sparkprof.{key}": value for key, value in conf.items()}
        profile = run_job(self.folder, "ManyStages", conf=conf, sparkprof=["--dir", f"file:{self.folder}/kept", "--no-report"])
        info = profile.info()
        self.assertTrue(info["complete"], info["losses"])
        kept = [file.name for file in (self.folder / "kept").rglob("*.sprof*")]
        self.assertEqual(len(kept), 1, kept)
        self.assertGreater(int(kept[0].rsplit("-", 1)[1].split(".")[0]), 32, "fewer files were written than are merged at once")

    def test_says_that_profiling_is_switched_off(self):
        environment = {"SPARKPROF_ENABLED": "false"}
        profile = run_job(self.folder, SETTINGS_JOB, "stop", master=None, cwd=self.folder, environment=environment)
        self.assertIn("running without the profiler: profiling is disabled", profile.process.stderr)
        self.assertFalse(profile.output.exists())
