# SPDX-License-Identifier: Apache-2.0
"""`sparkprof fleet`: a process that is killed in the middle, and the same logs as a Spark job."""

import json
import os
import shutil
import signal

from collector import Collector
from http_stub import Receiver
from proc import processes_named, words_of
from seaweed import Seaweed
from small_logs import fleet_log, write_fleet_logs
from spark_jobs import SPARK_VERSIONS, Spark, conf_options
from support import PLUGIN_JAR, SPARKPROF, TestCase, execute, sparkprof, wait_until


class FleetTest(TestCase):
    def setUp(self):
        super().setUp()
        self.logs = self.folder / "logs"
        self.logs.mkdir()
        self.output = self.folder / "out"
        self.manifest = self.output / "_sparkprof" / "manifest.jsonl"

    def write(self, count, tasks=5):
        write_fleet_logs(self.logs, count, tasks)

    def command(self, *arguments, location=None):
        return [SPARKPROF, "fleet", "analyze", location or self.logs, "--output", self.output, *arguments]

    def analyze(self, *arguments, location=None, **options):
        """The last line of its output."""
        return execute(*self.command(*arguments, location=location), **options).stdout.splitlines()[-1]

    def check(self, policy, *options, **more):
        path = self.folder / "policy.yaml"
        path.write_text(policy)
        return sparkprof("fleet", "check", self.output, "--policy", path, *options, **more)

    def rows(self, table, where="true"):
        """How many rows a condition selects, by `fleet check`."""
        done = self.check(f"rules: [{{name: rows, table: {table}, where: {json.dumps(where)}}}]", "--json", code=None)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)[0]["rows"]

    def check_all_once(self, count):
        self.assertEqual(self.rows("applications"), count)
        self.assertEqual(self.rows("applications", f"(SELECT count(DISTINCT id) FROM applications) = {count}"), count)

    def test_nothing_is_lost_or_twice_after_a_kill(self):
        count = 9000
        self.write(count)
        process = self.start(*self.command())
        wait_until(lambda: process.poll() is not None or self.manifest.exists(), "its first rows")
        process.kill()
        process.wait()
        applications, failed, unchanged = (int(part.split()[0]) for part in self.analyze().split(", "))
        self.assertGreater(unchanged, 0)
        self.assertEqual((applications + unchanged, failed), (count, 0))
        self.check_all_once(count)
        self.assertEqual(self.analyze(), f"0 applications, 0 failed, {count} unchanged")

    def test_a_log_that_needs_too_much_memory_is_one_failure(self):
        self.write(3)
        (self.logs / "app-00009").write_text(fleet_log(9, 1_000_000 if os.environ.get("SPARKPROF_SLOW_TESTS") else 300_000))
        self.assertEqual(self.analyze("--memory", "64"), "3 applications, 1 failed, 0 unchanged")
        self.assertEqual(self.rows("failures", "source LIKE '%app-00009'"), 1)

    def test_a_broken_rule_is_told_to_the_webhook_without_its_address(self):
        self.write(2)
        self.analyze()
        policy = "webhook: {}\nrules:\n  - name: long\n    where: durationMs > {}\n".format
        with Receiver() as receiver:
            self.check(policy(receiver.url, 60000))
            self.check(policy(receiver.url, 1000), code=1)
            [body] = receiver.bodies
        self.assertIn("long", body["text"])
        self.assertEqual([rule["name"] for rule in body["rules"]], ["long"])
        # The address is a secret.
        with Receiver(500) as receiver:
            done = self.check(policy(receiver.url, 1000), code=2)
        self.assertNotIn("secret-path", done.stdout + done.stderr)
        self.assertIn("webhook", done.stderr)

    def test_a_collector_opens_the_applications_of_a_fleet_where_their_logs_lie(self):
        self.write(2)
        self.analyze()
        with Collector(self.folder / "data", "--fleet", self.output) as collector:
            collector.wait_for(lambda rows: len(rows) == 2, "the applications")
            application = collector.get("/applications/app-00001").json()
        self.assertEqual(application["counts"]["tasks"], 5)

    def test_logs_in_s3_are_read_again_only_if_they_grew(self):
        with Seaweed(self.folder / "seaweed") as s3:
            for number in range(20):
                s3.put(f"bucket/logs/app-{number:05}", fleet_log(number, 5).encode())
            location = "s3a://bucket/logs/"
            environment = os.environ | s3.environment
            self.assertEqual(self.analyze(location=location, env=environment), "20 applications, 0 failed, 0 unchanged")
            s3.put("bucket/logs/app-00003", fleet_log(3, 7).encode())
            s3.put("bucket/logs/app-00020", fleet_log(20, 5).encode())
            self.assertEqual(self.analyze(location=location, env=environment), "2 applications, 0 failed, 19 unchanged")
        self.check_all_once(21)

    def test_a_spark_job_reads_the_same(self):
        self.write(40)
        (self.logs / "broken").write_bytes(b"\x28\xb5\x2f\xfd broken")
        rolled = self.logs / "eventlog_v2_app-1"
        rolled.mkdir()
        lines = fleet_log(1, 5).replace("app-00001", "app-1").splitlines(keepends=True)
        (rolled / "events_1_app-1").write_text("".join(lines[:6]))
        (rolled / "events_2_app-1").write_text("".join(lines[6:]))
        for version in SPARK_VERSIONS:
            with self.subTest(spark=version):
                shutil.rmtree(self.output, ignore_errors=True)
                environment = Spark(version).environment()
                master = ("--master", "local[2]", "--plugin-jar", PLUGIN_JAR, "--conf", "spark.ui.enabled=false")
                self.assertEqual(self.analyze(*master, env=environment), "41 applications, 1 failed, 0 unchanged")
                self.check_all_once(41)
                self.assertEqual(self.rows("stages", "false"), 0)
                # without Spark, the same logs are known
                self.assertEqual(self.analyze(), "0 applications, 0 failed, 42 unchanged")

    def test_executors_that_are_killed_lose_nothing_and_repeat_nothing(self):
        count = 3000
        self.write(count, tasks=300)
        mark = f"-Dof={self.folder.name}"  # on the command lines of executors
        conf = {"spark.ui.enabled": "false", "spark.executor.extraJavaOptions": mark, "spark.executor.memory": "512m"}
        command = self.command("--master", "local-cluster[2,1,512]", "--plugin-jar", PLUGIN_JAR, *conf_options(conf))
        process, killed = self.start(*command, env=Spark(SPARK_VERSIONS[-1]).environment()), set()
        # One of each pair, and again after each wave of logs that was kept.
        for waves in range(1, 4):
            wait_until(lambda waves=waves: lines_of(self.manifest) >= waves or process.poll() is not None, "rows that are kept")
            if process.poll() is not None:
                break
            wait_until(lambda: executors_with(mark) - killed or process.poll() is not None, "an executor")
            for pid in sorted(executors_with(mark) - killed)[:1]:
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
        output = self.finish(process).stdout
        self.assertGreater(len(killed), 0)
        self.assertEqual(output.splitlines()[-1], f"{count} applications, 0 failed, 0 unchanged")
        self.check_all_once(count)
        self.assertEqual(self.analyze(), f"0 applications, 0 failed, {count} unchanged")


def lines_of(path):
    return path.read_text().count("\n") if path.exists() else 0


def executors_with(mark):
    """The IDs of the executors' processes that have the mark on their command lines."""
    return {pid for pid in processes_named("CoarseGrainedExecutorBackend") if mark in words_of(pid)}
