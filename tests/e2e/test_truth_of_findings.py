# SPDX-License-Identifier: Apache-2.0
"""The first finding of a job with a planted cause names it; the same job without the cause has no such finding."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import support

EXAMPLES = support.REPOSITORY / "examples"

# Example, options of spark-submit, rules that name its cause in a profile, its event log, its text log (empty: cannot be
# known from it), and the line of code in the profile's finding.
TRUTH = (
    ("slacker.py", (), "sleep", "sleep python-bound", "python-bound", "slacker.py"),
    ("heckler.py", (), "repeated-init", "python-bound", "repeated-init", "Dictionary.__init__"),
    ("straggler.py", (), "skew", "skew", "straggler", "straggler.py"),
    ("fatso.py", ("--driver-memory", "600m"), "gc", "gc", "", "fatso.py"),
    ("exploding_join.py", (), "exploding-join", "exploding-join", "", "exploding_join.py"),
    ("skewed_join.py", (), "skew", "skew", "straggler", "skewed_join.py"),
    ("tiny_tasks.py", (), "tiny-tasks", "tiny-tasks", "tiny-tasks", "tiny_tasks.py"),
    ("driver_gap.py", (), "driver-gap", "driver-gap", "driver-gap", "driver_gap.py"),
    ("slow_udf.py", (), "python-bound", "python-bound", "python-bound", "slow_udf.py"),
    ("imports.py", (), "repeated-init", "repeated-init", "repeated-init", "heavy_dictionary.py"),
    ("small_files.py", (), "small-files", "small-files", "small-files", "small_files.py"),
    ("spill.py", (), "spill", "spill", "spill", ""),
    ("py4j_spike.py", (), "large-result", "driver-gap", "driver-gap", "py4j_spike.py"),
    ("oom.py", ("--driver-memory", "512m"), "oom", "", "oom", ""),
)
HEALTHY = ("aggregate", "join", "words", "files")


class JobRun:
    """A profiled job with its event log and its text log."""

    def __init__(self, folder, job, options=(), arguments=(), version=support.SPARK_VERSIONS[0]):
        self.folder = pathlib.Path(folder)
        self.events = self.folder / "events"
        self.events.mkdir(parents=True)
        spark = support.Spark(version)
        self.profile = support.run_profiled(
            spark,
            self.folder / "profile",
            [
                "spark-submit",
                "--master",
                "local[2]",
                *options,
                "--conf",
                "spark.ui.enabled=false",
                "--conf",
                "spark.log.level=INFO",
                "--conf",
                "spark.eventLog.enabled=true",
                "--conf",
                f"spark.eventLog.dir={self.events.as_uri()}",
                "--conf",
                "spark.eventLog.compress=false",
                job,
                *arguments,
            ],
        )
        self.log = self.folder / "driver.log"
        self.log.write_text(self.profile.process.stderr, encoding="utf-8")

    def findings(self, of):
        path = {"profile": self.profile.recording, "events": self.events, "log": self.log}[of]
        return json.loads(support.sparkprof("findings", path, "--json").stdout)


def run_java(folder, name, options=(), arguments=(), version=support.SPARK_VERSIONS[0]):
    """The run of a job of examples/jvm."""
    classes = pathlib.Path(folder) / "classes"
    home = support.Spark(version).home
    subprocess.run(["javac", "-cp", f"{home}/jars/*", "-d", classes, EXAMPLES / "jvm" / f"{name}.java"], check=True)
    jar = pathlib.Path(folder) / "example.jar"
    subprocess.run(["jar", "cf", jar, "-C", classes, "."], check=True)
    return JobRun(folder, jar, (*options, "--class", name), arguments, version)


class TruthOfFindingsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_a_sleeping_function_is_named_with_its_line(self):
        run = JobRun(self.folder, EXAMPLES / "slacker.py", (), ("80",))
        first = run.findings("profile")[0]
        self.assertEqual(first["rule"], "sleep")
        self.assertIn("call_service (slacker.py:", " ".join(first["frames"]))
        self.assertEqual(support.sparkprof("findings", run.profile.recording, "--fail-on", "high", check=False).returncode, 1)
        self.assertIn(first["title"], run.profile.process.stderr + run.profile.process.stdout)


@unittest.skipUnless(os.environ.get("SPARKPROF_SLOW_TESTS") == "1", "takes minutes; make test-all runs it")
class AllExamplesTest(unittest.TestCase):
    def test_the_first_finding_names_the_planted_cause(self):
        for job, options, of_profile, of_events, of_log, line in TRUTH:
            with self.subTest(job), tempfile.TemporaryDirectory() as folder:
                run = JobRun(folder, EXAMPLES / job, options)
                for kind, rules in (("profile", of_profile), ("events", of_events), ("log", of_log)):
                    if not rules:
                        continue
                    findings = run.findings(kind)
                    self.assertTrue(findings, f"{job}: nothing in its {kind}")
                    self.assertIn(findings[0]["rule"], rules.split(), f"{job}: {kind}: {[one['title'] for one in findings]}")
                self.assertIn(line, " ".join(run.findings("profile")[0]["frames"]))

    def test_without_its_cause_a_job_has_no_such_finding(self):
        for job, options, of_profile, _, _, _ in TRUTH:
            with self.subTest(job), tempfile.TemporaryDirectory() as folder:
                run = JobRun(folder, EXAMPLES / job, options, ("--fixed",))
                high = {one["rule"] for one in run.findings("profile") if one["severity"] == "high"}
                self.assertFalse(high & set(of_profile.split()), job)

    def test_waiting_for_a_lock_is_named_with_its_method(self):
        with tempfile.TemporaryDirectory() as folder:
            run = run_java(folder, "SharedLock")
            first = run.findings("profile")[0]
            self.assertEqual(first["rule"], "lock")
            self.assertIn("Registry.register", " ".join(first["frames"]))
            # An event log shows that the tasks wait, and where they were started.
            first = run.findings("events")[0]
            self.assertEqual(first["rule"], "sleep")
            self.assertIn("SharedLock.java", " ".join(first["frames"]))

    def test_garbage_collection_is_named_from_a_profile_and_an_event_log(self):
        with tempfile.TemporaryDirectory() as folder:
            run = run_java(folder, "Hoarder", ("--driver-memory", "600m"))
            for kind in ("profile", "events"):
                self.assertEqual(run.findings(kind)[0]["rule"], "gc", kind)

    def test_a_healthy_job_has_nothing_above_low(self):
        for name in HEALTHY:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                findings = JobRun(folder, support.JOBS / "healthy.py", (), (name,)).findings("profile")
                self.assertEqual([one["title"] for one in findings if one["severity"] != "low"], [])


if __name__ == "__main__":
    unittest.main()
