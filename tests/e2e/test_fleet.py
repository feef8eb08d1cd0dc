# SPDX-License-Identifier: Apache-2.0
"""`sparkprof fleet`: a process that is killed in the middle, and the same logs as a Spark job."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from collector import Collector
from fleet_logs import event_log, write_logs
from receiver import Receiver
from seaweed import Seaweed
from support import DEADLINE, PLUGIN_JAR, SPARK_VERSIONS, SPARKPROF, Spark, wait_until


class FleetTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sparkprof-fleet-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.logs = self.folder / "logs"
        self.logs.mkdir()
        self.output = self.folder / "out"

    def write(self, count, tasks=5):
        write_logs(self.logs, count, tasks)

    def command(self, *arguments, location=None):
        return [SPARKPROF, "fleet", "analyze", location or str(self.logs), "--output", str(self.output), *arguments]

    def analyze(self, *arguments, location=None, **options):
        command = self.command(*arguments, location=location)
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()[-1]

    def rows(self, table, where="true"):
        """How many rows a condition selects, by `fleet check`."""
        policy = self.folder / "policy.yaml"
        policy.write_text(f"rules: [{{name: rows, table: {table}, where: {json.dumps(where)}}}]")
        command = [SPARKPROF, "fleet", "check", str(self.output), "--policy", str(policy), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)[0]["rows"]

    def check_all_once(self, count):
        self.assertEqual(self.rows("applications"), count)
        self.assertEqual(self.rows("applications", f"(SELECT count(DISTINCT id) FROM applications) = {count}"), count)

    def test_nothing_is_lost_or_twice_after_a_kill(self):
        count = 9000
        self.write(count)
        with subprocess.Popen(self.command(), stdout=subprocess.DEVNULL) as process:
            manifest = self.output / "_sparkprof" / "manifest.jsonl"
            deadline = time.monotonic() + DEADLINE
            while process.poll() is None and not manifest.exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
        applications, failed, unchanged = (int(part.split()[0]) for part in self.analyze().split(", "))
        self.assertGreater(unchanged, 0)
        self.assertEqual((applications + unchanged, failed), (count, 0))
        self.check_all_once(count)
        self.assertEqual(self.analyze(), f"0 applications, 0 failed, {count} unchanged")

    def test_a_log_that_needs_too_much_memory_is_one_failure(self):
        self.write(3)
        (self.logs / "app-00009").write_text(event_log(9, 1_000_000 if os.environ.get("SPARKPROF_SLOW_TESTS") else 300_000))
        self.assertEqual(self.analyze("--memory", "64"), "3 applications, 1 failed, 0 unchanged")
        self.assertEqual(self.rows("failures", "source LIKE '%app-00009'"), 1)

    def test_a_broken_rule_is_told_to_the_webhook_without_its_address(self):
        self.write(2)
        subprocess.run(self.command(), check=True, capture_output=True, timeout=DEADLINE)
        policy = self.folder / "policy.yaml"
        with Receiver() as receiver:
            for where, code in (("durationMs > 60000", 0), ("durationMs > 1000", 1)):
                policy.write_text(f"webhook: {receiver.url}\nrules:\n  - name: long\n    where: {where}\n")
                check = [SPARKPROF, "fleet", "check", str(self.output), "--policy", str(policy)]
                done = subprocess.run(check, capture_output=True, text=True, timeout=DEADLINE)
                self.assertEqual(done.returncode, code, done.stderr)
            [body] = receiver.bodies
        self.assertIn("long", body["text"])
        self.assertEqual([rule["name"] for rule in body["rules"]], ["long"])
        # The address is a secret.
        with Receiver(500) as receiver:
            policy.write_text(policy.read_text().replace(policy.read_text().split()[1], receiver.url))
            done = subprocess.run(check, capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("secret-path", done.stdout + done.stderr)
        self.assertIn("webhook", done.stderr)

    def test_a_collector_opens_the_applications_of_a_fleet_where_their_logs_lie(self):
        self.write(2)
        self.analyze()
        with Collector(self.folder / "data", "--fleet", self.output) as collector:
            wait_until(lambda: len(collector.get("/applications").json()["applications"]) == 2, "the applications")
            application = collector.get("/applications/app-00001").json()
        self.assertEqual(application["counts"]["tasks"], 5)

    def test_logs_in_s3_are_read_again_only_if_they_grew(self):
        with Seaweed(self.folder / "seaweed") as s3:
            for number in range(20):
                s3.put(f"bucket/logs/app-{number:05}", event_log(number, 5).encode())
            location = "s3a://bucket/logs/"
            environment = {**os.environ, **s3.environment}
            self.assertEqual(self.analyze(location=location, env=environment), "20 applications, 0 failed, 0 unchanged")
            s3.put("bucket/logs/app-00003", event_log(3, 7).encode())
            s3.put("bucket/logs/app-00020", event_log(20, 5).encode())
            self.assertEqual(self.analyze(location=location, env=environment), "2 applications, 0 failed, 19 unchanged")
        self.check_all_once(21)

    def test_a_spark_job_reads_the_same(self):
        self.write(40)
        (self.logs / "broken").write_bytes(b"\x28\xb5\x2f\xfd broken")
        rolled = self.logs / "eventlog_v2_app-1"
        rolled.mkdir()
        lines = event_log(1, 5).replace("app-00001", "app-1").splitlines(keepends=True)
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
        settings = ("spark.ui.enabled=false", f"spark.executor.extraJavaOptions={mark}", "spark.executor.memory=512m")
        command = self.command("--master", "local-cluster[2,1,512]", "--plugin-jar", PLUGIN_JAR)
        for setting in settings:
            command += ["--conf", setting]
        environment = Spark(SPARK_VERSIONS[-1]).environment()
        manifest = self.output / "_sparkprof" / "manifest.jsonl"
        killed = set()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment) as process:
            # One of each pair, and again after each wave of logs that was kept.
            for waves in range(1, 4):
                wait_until(lambda waves=waves: lines_of(manifest) >= waves or process.poll() is not None, "rows that are kept")
                if process.poll() is not None:
                    break
                wait_until(lambda: set(executors_with(mark)) - killed or process.poll() is not None, "an executor")
                for pid in sorted(set(executors_with(mark)) - killed)[:1]:
                    os.kill(pid, signal.SIGKILL)
                    killed.add(pid)
            output, _ = process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 0)
        self.assertGreater(len(killed), 0)
        self.assertEqual(output.splitlines()[-1], f"{count} applications, 0 failed, 0 unchanged")
        self.check_all_once(count)
        self.assertEqual(self.analyze(), f"0 applications, 0 failed, {count} unchanged")


def lines_of(path):
    return path.read_text().count("\n") if path.exists() else 0


def executors_with(mark):
    """The IDs of the executors' processes that have the mark on their command lines."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if mark.encode() in command and any(b"CoarseGrainedExecutorBackend" in word for word in command):
            found.append(int(process.name))
    return found


if __name__ == "__main__":
    unittest.main()
