# SPDX-License-Identifier: Apache-2.0
"""The first finding of a job with a planted cause names it; the same job without the cause has no such finding."""

from spark_jobs import SPARK_VERSIONS, Spark, run_job
from support import EXAMPLES, JOBS, TestCase, json_of, slow, sparkprof

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

    def __init__(self, folder, job, options=(), arguments=(), version=SPARK_VERSIONS[0]):
        self.events = folder / "events"
        self.events.mkdir(parents=True)
        conf = {"ui.enabled": "false", "log.level": "INFO"}
        conf |= {"eventLog.enabled": "true", "eventLog.dir": self.events.as_uri(), "eventLog.compress": "false"}
        submitted = {"conf": {f"spark.{key}": value for key, value in conf.items()}, "options": options}
        self.profile = run_job(folder, job, *arguments, name="profile", spark=Spark(version), code=None, **submitted)
        self.log = folder / "driver.log"
        self.log.write_text(self.profile.process.stderr, encoding="utf-8")

    def findings(self, of):
        return json_of("findings", {"profile": self.profile.recording, "events": self.events, "log": self.log}[of])


def run_java(folder, name, options=(), arguments=(), version=SPARK_VERSIONS[0]):
    """The run of a job of examples/jvm."""
    return JobRun(folder, Spark(version).compile_job(EXAMPLES / "jvm" / f"{name}.java", folder), options, arguments, version)


class TruthOfFindingsTest(TestCase):
    def test_a_sleeping_function_is_named_with_its_line(self):
        run = JobRun(self.folder, EXAMPLES / "slacker.py", (), ("80",))
        first = run.findings("profile")[0]
        self.assertEqual(first["rule"], "sleep")
        self.assertIn("call_service (slacker.py:", " ".join(first["frames"]))
        sparkprof("findings", run.profile.recording, "--fail-on", "high", code=1)
        self.assertIn(first["title"], run.profile.process.stderr + run.profile.process.stdout)


@slow("the examples are")
class AllExamplesTest(TestCase):
    def test_the_first_finding_names_the_planted_cause(self):
        for job, options, of_profile, of_events, of_log, line in TRUTH:
            with self.subTest(job):
                run = JobRun(self.folder / job, EXAMPLES / job, options)
                for kind, rules in (("profile", of_profile), ("events", of_events), ("log", of_log)):
                    if not rules:
                        continue
                    findings = run.findings(kind)
                    self.assertTrue(findings, f"{job}: nothing in its {kind}")
                    self.assertIn(findings[0]["rule"], rules.split(), f"{job}: {kind}: {[one['title'] for one in findings]}")
                self.assertIn(line, " ".join(run.findings("profile")[0]["frames"]))

    def test_without_its_cause_a_job_has_no_such_finding(self):
        for job, options, of_profile, _, _, _ in TRUTH:
            with self.subTest(job):
                run = JobRun(self.folder / job, EXAMPLES / job, options, ("--fixed",))
                high = {one["rule"] for one in run.findings("profile") if one["severity"] == "high"}
                self.assertFalse(high & set(of_profile.split()), job)

    def test_waiting_for_a_lock_is_named_with_its_method(self):
        run = run_java(self.folder, "SharedLock")
        first = run.findings("profile")[0]
        self.assertEqual(first["rule"], "lock")
        self.assertIn("Registry.register", " ".join(first["frames"]))
        # An event log shows that the tasks wait, and where they were started.
        first = run.findings("events")[0]
        self.assertEqual(first["rule"], "sleep")
        self.assertIn("SharedLock.java", " ".join(first["frames"]))

    def test_garbage_collection_is_named_from_a_profile_and_an_event_log(self):
        run = run_java(self.folder, "Hoarder", ("--driver-memory", "600m"))
        for kind in ("profile", "events"):
            self.assertEqual(run.findings(kind)[0]["rule"], "gc", kind)

    def test_a_healthy_job_has_nothing_above_low(self):
        for name in HEALTHY:
            with self.subTest(name):
                findings = JobRun(self.folder / name, JOBS / "healthy.py", (), (name,)).findings("profile")
                self.assertEqual([one["title"] for one in findings if one["severity"] != "low"], [])
