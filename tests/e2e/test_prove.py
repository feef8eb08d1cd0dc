# SPDX-License-Identifier: Apache-2.0
"""sparkprof prove: a change is proved, changes nothing, changes results, or cannot be tried twice."""

import json
import re
import shlex

from collector import API, Collector
from small_logs import made_log
from spark_jobs import VERSIONS_OF_LONG_TESTS, Spark, submit
from support import JOBS, TestCase, slow, sparkprof, wait_until


class ProveTest(TestCase):
    def prove(self, before, *options, after=None, code=1):
        """The JSON of `prove`, and its messages. `before` and `after`: the arguments of proved_job.py."""
        if after is not None:
            options += ("--after", shlex.join(map(str, self.job(*after))))
        done = sparkprof(
            *("prove", "--json", "--output-dir", self.folder / "proof", *options, "--", *self.job(*before)),
            env=Spark().environment(),
            code=code,
            timeout=1500,
        )
        return json.loads(done.stdout), done.stderr

    @staticmethod
    def job(*arguments):
        return submit("proved_job.py", *arguments, conf={"spark.ui.enabled": "false"})

    @slow("proving a change is")
    def test_a_faster_program_with_equal_rows_is_proved(self):
        (self.folder / "prices.json").write_text('{"currency": "USD", "coreHour": 0.05, "gbHour": 0.006}')
        got, messages = self.prove((6, 100), "--prices", self.folder / "prices.json", after=(0, 100), code=0)
        self.assertEqual(got["verdict"], "proved", messages)
        self.assertLess(got["deltaMs"]["high"], 0)
        self.assertTrue(-9000 < got["deltaMs"]["median"] < -4000, got)
        self.assertLessEqual(got["p"], 0.01)
        self.assertEqual(got["runs"]["before"], got["runs"]["after"])
        self.assertEqual(got["results"] | {"unchecked": []}, {"queries": 1, "equal": 1, "different": [], "unchecked": []})
        self.assertIsNone(got["promisedMs"])
        self.assertIsNone(got["promise"])
        self.assertLess(got["measures"]["gbHours"]["delta"]["median"], 0)
        self.assertLess(got["measures"]["cost"]["delta"]["median"], 0)
        self.assertTrue((self.folder / "proof" / "after-1" / "output.log").exists())

    def test_other_rows_are_different_results_whatever_the_time(self):
        log = self.folder / "app-1"
        log.write_bytes(made_log("end=100000", "2 duration=1000", "1 duration=30000"))
        advice_about_code = ("--finding", "straggler-3.0", "--from", log)
        refused = sparkprof("prove", *advice_about_code, "--", *self.job(1, 100), code=2).stderr
        self.assertIn("Change the program, and give its command with --after", refused)
        got, _ = self.prove((1, 100), *advice_about_code, after=(0, 80))
        self.assertEqual((got["verdict"], got["rule"]), ("different-results", "straggler"))
        self.assertLess(got["promisedMs"]["low"], got["promisedMs"]["high"])
        self.assertEqual([(one["before"], one["after"]) for one in got["results"]["different"]], [(50, 40)])

    def test_wrong_results_of_each_kind_are_seen_and_equal_ones_are_not(self):
        for version in VERSIONS_OF_LONG_TESTS:
            with self.subTest(version):
                self.check_results(version)

    def check_results(self, version):
        folder = self.folder / version
        conf = {
            "spark.ui.enabled": "false",
            "spark.sql.warehouse.dir": folder / "warehouse",
            "spark.sql.shuffle.partitions": 2,
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",  # code runs once
        }

        def job(form):
            return submit("proved_results.py", form, folder / form, conf=conf)

        done = sparkprof(
            *("prove", "--json", "--output-dir", folder / "proof", "--after", shlex.join(job("after")), "--", *job("before")),
            env=Spark(version).environment(),
            code=1,
            timeout=1500,
        )
        got = json.loads(done.stdout)
        self.assertEqual(got["verdict"], "different-results", done.stderr)
        results = got["results"]
        different = {one["query"]: one for one in results["different"]}
        sources = (JOBS / "proved_results.py").read_text()
        wrong = re.findall(r'^    "([^"]+)": ', sources.split("EQUAL =")[0], re.MULTILINE)
        self.assertGreaterEqual(len(wrong), 20)
        self.assertEqual(sorted(different), sorted(f"wrong: {name}" for name in wrong))
        self.assertEqual(different["wrong: swapped columns"]["columns"], ["customer", "shop"])
        self.assertEqual(different["wrong: prices in other rows"]["columns"], ["price"])
        self.assertEqual(different["wrong: lost field"]["columns"], ["place"])
        self.assertIn("has columns customer bigint, id bigint instead", different["wrong: reordered columns"]["difference"])
        self.assertEqual(different["wrong: lower limit"]["after"], 49)
        equal = 1 + len(re.findall(r'^    "([^"]+)": ', sources.split("EQUAL =")[1], re.MULTILINE))
        self.assertEqual(results["equal"], equal + 1, results["unchecked"])  # and the stable column of "random: numbers"
        self.assertIn("1 query: columns number, now differ from run to run", results["unchecked"])
        self.assertIn("1 query: it shows some rows only", results["unchecked"])
        self.assertTrue(any(one.endswith("outside SQL") for one in results["unchecked"]), results["unchecked"])

    def test_a_job_that_appends_runs_once(self):
        got, _ = self.prove((0, 100, self.folder / "table"), "--change", "spark.sql.shuffle.partitions=3")
        self.assertEqual(got["verdict"], "failed")
        self.assertIn("appends to", got["problem"])
        self.assertEqual([folder.name for folder in (self.folder / "proof").iterdir() if folder.is_dir()], ["before-warm-up"])

    def test_a_failed_run_ends_the_proof_with_its_output(self):
        got, _ = self.prove((0, 100), after=("never", 100))
        self.assertEqual(got["verdict"], "failed")
        self.assertIn("after-warm-up/output.log", got["problem"])

    def recorded(self, count):
        """Event logs of so many runs of about an hour, longer than any real run of the test, the shortest first."""
        paths = [self.folder / f"app-{number}" for number in range(count)]
        for number, path in enumerate(paths):
            path.write_bytes(made_log(f"end={3_600_000 + 5000 * number}", "3 duration=1000", application=path.name))
        return paths

    @slow("a comparison with recorded runs is")
    def test_recorded_runs_of_a_collector_serve_as_those_before_and_it_keeps_the_proof(self):
        with Collector(self.folder / "data") as server:
            server.push(*self.recorded(5))
            listed = f"{API}/applications?status=finished"
            wait_until(lambda: server.request("GET", listed).json()["total"] == 5, "the applications")
            [group] = [one["name"] for one in server.request("GET", f"{API}/groups").json()["groups"]]
            got, messages = self.prove((0, 100), "--baseline", group, "--server", server.url, "--runs", "2", code=0)
            self.assertEqual(got["verdict"], "proved", messages)
            self.assertEqual(got["runs"], {"before": 5, "after": 2})
            self.assertTrue(-3_700_000 < got["deltaMs"]["median"] < -1_800_000, got)
            self.assertIn("all results: those of recorded runs are not compared", got["results"]["unchecked"])
            self.assertNotIn("peakBytes", got["measures"])
            kept = server.request("GET", f"{API}/proofs?group={group}").json()
            self.assertEqual(kept["total"], 1)
            self.assertEqual((kept["proofs"][0]["verdict"], kept["proofs"][0]["application"]), ("proved", "app-4"))

    @slow("a comparison with recorded runs is")
    def test_four_recorded_runs_prove_nothing(self):
        options = [word for path in self.recorded(4) for word in ("--baseline", path)]
        got, _ = self.prove((0, 100), *options, "--runs", "2")
        self.assertEqual(got["verdict"], "no-difference")
        self.assertIn("at least 5 are needed", got["text"])

    def test_usage(self):
        self.assertIn("expected a change", sparkprof("prove", "--", "spark-submit", "job.py", code=2).stderr)
        self.assertIn("--from", sparkprof("prove", "--finding", "skew-1.0", "--", "spark-submit", "job.py", code=2).stderr)
        fixed = sparkprof("prove", "--baseline", "a", "--budget", "1m", "--", "spark-submit", "job.py", code=2).stderr
        self.assertIn("leave out --budget", fixed)
        missing = sparkprof("prove", "--baseline", "daily", "--", "spark-submit", "job.py", code=2).stderr
        self.assertIn("--baseline daily: no such file; for the name of a group on a collector, add --server", missing)
        wrong = sparkprof("prove", "--change", "shuffle.partitions=3", "--", "spark-submit", "job.py", code=2).stderr
        self.assertIn("--change shuffle.partitions=3: expected KEY=VALUE", wrong)
