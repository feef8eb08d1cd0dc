# SPDX-License-Identifier: Apache-2.0
"""sparkprof run --auto: sizes by the last runs of a job, from a folder and from a collector, and the way back."""

import json
import os
import pathlib
import sys

from collector import API, JSON, Collector
from spark_jobs import Spark, run_job, submit
from support import SPARKPROF, TestCase, execute, sparkprof, wait_until, write_file

START_MS = 1_700_000_000_000
PRINT_SETTINGS = "import os; print(os.environ.get('PYSPARK_SUBMIT_ARGS'))"
POLICY = "settings: {spark.driver.memory: {min: 1g, max: 4g, step: 25%}}\n"


def event_log(number, heap="2g", version=None, fails=False):
    """The log of a run in local mode that needs 300 MiB of its heap."""
    settings = {"spark.master": "local[2]", "spark.driver.memory": heap} | ({"spark.sparkprof.auto.version": version} if version else {})
    begin = START_MS + 1_000_000 * number
    task = {"Task ID": 0, "Index": 0, "Attempt": 0, "Launch Time": begin, "Executor ID": "driver", "Host": "a", "Locality": "ANY"}
    task |= {"Speculative": False, "Getting Result Time": 0, "Finish Time": begin + 9_000, "Failed": False, "Killed": False}
    stage = {"Stage ID": 0, "Stage Attempt ID": 0, "Stage Name": "sum", "Number of Tasks": 1, "Submission Time": begin}
    job_end = {"Result": "JobFailed", "Exception": {"Message": "no"}} if fails else {"Result": "JobSucceeded"}
    key = {"Stage ID": 0, "Stage Attempt ID": 0}
    added = {"Executor ID": "driver", "Executor Info": {"Host": "a", "Total Cores": 2, "Log Urls": {}}}
    events = [
        ("LogStart", {"Spark Version": "4.1.1"}),
        ("EnvironmentUpdate", {"Spark Properties": settings}),
        ("ApplicationStart", {"App Name": "nightly", "App ID": f"local-{number}", "Timestamp": begin, "User": "ada"}),
        ("ExecutorAdded", added | {"Timestamp": begin}),
        ("JobStart", {"Job ID": 0, "Submission Time": begin, "Stage Infos": [stage], "Stage IDs": [0], "Properties": {}}),
        ("StageSubmitted", {"Stage Info": stage, "Properties": {}}),
        ("TaskStart", key | {"Task Info": task}),
        ("StageExecutorMetrics", key | {"Executor ID": "driver", "Executor Metrics": {"JVMHeapMemory": 300 << 20}}),
        (
            "TaskEnd",
            key
            | {"Task Type": "ResultTask", "Task End Reason": {"Reason": "Success"}, "Task Info": task}
            | {"Task Metrics": {"Executor Run Time": 9_000}, "Task Executor Metrics": {"JVMHeapMemory": 300 << 20}},
        ),
        ("StageCompleted", {"Stage Info": stage | {"Completion Time": begin + 9_000}}),
        ("JobEnd", {"Job ID": 0, "Completion Time": begin + 9_500, "Job Result": job_end}),
        ("ApplicationEnd", {"Timestamp": begin + 10_000}),
    ]
    return "".join(json.dumps({"Event": f"SparkListener{name}", **fields}) + "\n" for name, fields in events)


class AutoTest(TestCase):
    def setUp(self):
        super().setUp()
        self.runs = 0
        self.policy = write_file(self.folder / "auto.yaml", POLICY, 0o600)
        self.options = ("--auto", "--from", self.folder / "runs", "--auto-policy", self.policy)

    def run_once(self, *options, arguments=(), code=0, conf=None):
        """The messages about sizes, and the size that the run had."""
        self.runs += 1
        conf = {"spark.driver.memory": "2g", "spark.app.name": "nightly", "spark.ui.enabled": "false"} | (conf or {})
        ran = run_job(
            self.folder, "auto_job.py", *arguments, name=f"runs/{self.runs}", sparkprof=("--no-report", *options), conf=conf, code=code
        )
        messages = [line for line in ran.process.stderr.splitlines() if line.startswith("sparkprof: auto: ")]
        settings = {row["name"]: row["value"] for row in ran.show("environment") if row["group"] == "Spark"}
        return "\n".join(messages), settings["spark.driver.memory"]

    def settings_of_next_run(self, **environment):
        """The messages about sizes, and the arguments of Spark that a program with its own session gets."""
        command = ("run", *self.options, "--", sys.executable, "-c", PRINT_SETTINGS)
        given = {"PYSPARK_SUBMIT_ARGS": "--conf spark.driver.memory=2g pyspark-shell"}
        done = sparkprof(*command, env=Spark().environment(**given, **environment), cwd=self.folder)
        messages = [line for line in done.stderr.splitlines() if line.startswith("sparkprof: auto: ")]
        return "\n".join(messages), done.stdout.split()

    def add_log(self, number, **run):
        (self.folder / "runs").mkdir(exist_ok=True)
        (self.folder / "runs" / f"local-{number}").write_text(event_log(number, **run))

    def test_six_runs_give_a_size_and_a_failure_takes_it_back(self):
        for number in range(6):
            self.add_log(number)
        messages, arguments = self.settings_of_next_run()
        self.assertIn("auto: nightly: spark.driver.memory 2g -> 1536m: the last 6 runs need at most 1g (local-5: ", messages)
        self.assertTrue(messages.endswith("; limited by the policy"), messages)
        self.assertIn("spark.driver.memory=1536m", arguments)
        self.assertNotIn("spark.driver.memory=2g", arguments)
        self.assertIn("spark.sparkprof.auto.version=1", arguments)
        # The decision holds until there is a reason for another one.
        self.add_log(6, heap="1536m", version="1")
        messages, arguments = self.settings_of_next_run()
        self.assertIn("no change: 1 good run in a row with the present settings, 5 are required", messages)
        self.assertIn("spark.driver.memory=1536m", arguments)
        self.add_log(7, heap="1536m", version="1", fails=True)
        messages, arguments = self.settings_of_next_run()
        self.assertEqual(messages, "sparkprof: auto: nightly: rolled back spark.driver.memory 1536m -> 2g: local-7 failed")
        self.assertIn("spark.driver.memory=2g", arguments)
        for number in range(8, 13):
            self.add_log(number, version="2")
        messages, _ = self.settings_of_next_run()
        self.assertIn("no change: spark.driver.memory 1536m is not tried again: local-7 failed", messages)
        state = json.loads((self.folder / "runs" / "nightly.auto.json").read_text())
        self.assertEqual([version["settings"] for version in state["versions"]], [{"spark.driver.memory": "1536m"}, {}])
        self.assertEqual(state["versions"][0]["runs"], ["local-6", "local-7"])
        messages, arguments = self.settings_of_next_run(SPARKPROF_AUTO="off")
        self.assertEqual(messages, "sparkprof: auto: off in the job's own settings")

    def test_a_collector_decides_for_its_groups(self):
        for number in range(6):
            self.add_log(number)
        with Collector(self.folder / "data", "--auto-policy", self.policy) as server:
            server.push(self.folder / "runs")
            wait_until(lambda: server.get("/applications", group="nightly").json()["total"] == 6, "the runs in the catalogue")
            self.options = ("--server", server.url)
            messages, arguments = self.settings_of_next_run(SPARKPROF_LABEL="nightly")
            self.assertEqual(messages, "")
            self.assertIn("spark.driver.memory=2g", arguments)
            # A folder and a policy do not switch it on either.
            self.options += ("--from", self.folder / "runs", "--auto-policy", self.policy)
            messages, arguments = self.settings_of_next_run(SPARKPROF_LABEL="nightly")
            self.assertEqual(messages, "")
            self.assertIn("spark.driver.memory=2g", arguments)
            server.request("PUT", f"{API}/groups/nightly/configuration", {"configuration": {"auto": "on"}}, JSON)
            messages, arguments = self.settings_of_next_run(SPARKPROF_LABEL="nightly")
            self.assertIn("auto: nightly: spark.driver.memory 2g -> 1536m: the last 6 runs need at most 1g (", messages)
            self.assertIn("spark.driver.memory=1536m", arguments)
            messages, arguments = self.settings_of_next_run(SPARKPROF_LABEL="nightly", SPARKPROF_AUTO="off")
            self.assertIn("spark.driver.memory=2g", arguments)
        audit = [json.loads(line) for line in (self.folder / "data" / "audit.jsonl").read_text().splitlines()]
        self.assertEqual([line["subject"] for line in audit if line["what"] == "auto"], ["nightly"])

    def test_the_next_run_of_a_real_job_has_the_size_until_it_fails(self):
        for number in range(6):
            self.add_log(number)
        messages, size = self.run_once(*self.options, arguments=["fail"], code=1)
        self.assertIn("auto: nightly: spark.driver.memory 2g -> 1536m: ", messages)
        self.assertEqual(size, "1536m")
        messages, _ = self.settings_of_next_run()
        self.assertIn("auto: nightly: rolled back spark.driver.memory 1536m -> 2g: local-", messages)
        self.assertTrue(messages.endswith(" failed"), messages)

    def test_sparkprof_submit_sets_the_size_and_keeps_the_command(self):
        for number in range(6):
            self.add_log(number)
        command = self.folder / "bin" / "sparkprof-submit"
        command.parent.mkdir()
        command.symlink_to(pathlib.Path(SPARKPROF).resolve())
        real = write_file(self.folder / "real" / "spark-submit", "#!/bin/sh\nprintf '<%s>' \"$@\"\n", 0o755)
        auto = {"SPARKPROF_AUTO": "on", "SPARKPROF_AUTO_FROM": str(self.folder / "runs"), "SPARKPROF_AUTO_POLICY": str(self.policy)}
        environment = {"PATH": f"{real.parent}:{os.environ['PATH']}", "HOME": str(self.folder), **auto}
        arguments = ("--name", "nightly", "--driver-memory", "2g", "job.py", "--day", "1")
        printed = execute(command, *arguments, env=environment, cwd=self.folder, code=None).stdout
        self.assertIn("<--driver-memory><1536m>", printed)
        self.assertTrue(printed.endswith("<job.py><--day><1>"), printed)

    def test_usage(self):
        def refused(*options):
            command = ("run", "--auto", *options, "--output-dir", self.folder / "out", "--", *submit("auto_job.py"))
            return sparkprof(*command, env=Spark().environment(), code=2).stderr

        self.assertIn("--auto: expected --from FOLDER, or --server URL", refused())
        self.assertIn("--auto: expected --auto-policy FILE", refused("--from", self.folder))
        write_file(self.policy, "settings: {spark.plugins: {values: [x]}}\n", 0o600)
        self.assertIn(
            "spark.plugins: not a setting that may change automatically", refused("--from", self.folder, "--auto-policy", self.policy)
        )

    def test_a_folder_without_runs_starts_the_job_with_its_own_settings(self):
        (self.folder / "empty").mkdir()
        messages, size = self.run_once("--auto", "--from", self.folder / "empty", "--auto-policy", self.policy)
        self.assertIn("the job keeps its own settings: ", messages)
        self.assertEqual(size, "2g")
