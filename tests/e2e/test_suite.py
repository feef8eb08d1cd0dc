# SPDX-License-Identifier: Apache-2.0
"""Suites of jobs: results, signals, comparison with a baseline, runs on a collector."""

import gzip
import json
import os
import re
import signal
import subprocess
import urllib.request

from collector import API, JSON, Collector
from spark_jobs import Spark
from support import DEADLINE, EXAMPLES, SPARKPROF, TestCase, json_of, slow, sparkprof, wait_until

SLEEPER = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"
SPIN = "import sys, time\nwhile time.process_time() < float(sys.argv[1]): pass"


def suite(*arguments, **options):
    return sparkprof("suite", *arguments, **options)


class SuiteTest(TestCase):
    def summary(self):
        return json.loads((self.folder / "out" / "summary.json").read_text())

    def write(self, *jobs, monitors=()):
        path = self.folder / "suite.yaml"
        path.write_text(json.dumps({"suite": "test", "interval": "50ms", "monitors": list(monitors), "jobs": list(jobs)}))
        return path

    def job(self, seconds, repeats=3):
        return {"name": "spin", "command": ["/usr/bin/python3", "-c", SPIN, "{size}"], "sizes": [seconds], "repeats": repeats}

    def test_results_have_exit_codes_cpu_time_and_maxima_of_each_repeat(self):
        path = self.write(self.job(0.3, repeats=2), {"name": "bad", "command": ["/bin/sh", "-c", "echo broken >&2; exit 3"], "repeats": 1})
        suite("run", path, "--output-dir", self.folder / "out", "--junit", self.folder / "junit.xml", code=1)
        results = self.summary()
        self.assertEqual(results["status"], "failed")
        spin, bad = results["jobs"]
        self.assertEqual([repeat["exitCode"] for repeat in spin["repeats"]], [0, 0])
        for repeat in spin["repeats"]:
            self.assertGreater(repeat["cpuSeconds"], 0.3)
            self.assertGreater(repeat["seconds"], 0.3)
            maxima = repeat["maxima"]["python_driver"]
            self.assertEqual(maxima["processes"], 1)
            self.assertGreater(maxima["maxRssBytes"], 1 << 20)
            self.assertGreater(maxima["maxVirtualBytes"], maxima["maxRssBytes"])
        self.assertEqual([repeat["exitCode"] for repeat in bad["repeats"]], [3])
        self.assertEqual((self.folder / "out" / "bad" / "1" / "output.log").read_text(), "broken\n")
        self.assertIn('tests="3" failures="1"', (self.folder / "junit.xml").read_text())

    def test_private_memory_is_measured_and_the_processes_are_a_recording(self):
        hold = "import time; data = bytearray(64 << 20); time.sleep(5)"
        path = self.write({"name": "hold", "command": ["/usr/bin/python3", "-c", hold], "repeats": 1})
        suite("run", path, "--output-dir", self.folder / "out")
        (repeat,) = self.summary()["jobs"][0]["repeats"]
        self.assertGreater(repeat["maxima"]["python_driver"]["maxPrivateBytes"], 64 << 20)
        (row,) = json_of("show", "processes", self.folder / "out" / "hold")
        self.assertGreater(row["maxPrivateBytes"], 64 << 20)
        self.assertTrue(row["ended"])

    def test_without_a_collector_the_run_is_in_an_embedded_one_that_ends_with_it(self):
        fetch = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1] + '/api/sparkprof/v1/runs/1').read())"
        path = self.write(self.job(0.1, repeats=1), monitors=[["/usr/bin/python3", "-c", fetch, "{server}"]])
        printed = suite("run", path, "--output-dir", self.folder / "out").stderr
        url = re.search(r"run 1 is at (http://127\.0\.0\.1:\d+)/", printed).group(1)
        with self.assertRaises(OSError):
            urllib.request.urlopen(url)
        with Collector(self.folder / "out" / "server") as server:
            run = server.get("/runs/1").json()
            self.assertEqual((run["suiteName"], run["overallStatus"]), ("test", "passed"))
            self.assertEqual(run["results"]["jobs"][0]["name"], "spin")
            rows = server.get("/runs/1/processes").json()["rows"]
            self.assertGreater(max(row["virtualBytes"] for row in rows), 1 << 20)

    def test_monitors_run_on_each_node(self):
        path = self.folder / "suite.yaml"
        monitor = ["/bin/sh", "-c", "echo $0 >>$1/seen; exec sleep 600", "{node}", "{output}"]
        path.write_text(json.dumps({"suite": "test", "nodes": ["n1", "n2"], "monitors": [monitor], "jobs": [self.job(0.5, repeats=1)]}))
        suite("run", path, "--output-dir", self.folder / "out")
        self.assertEqual(sorted((self.folder / "out" / "seen").read_text().split()), ["n1", "n2"])

    def test_a_check_names_the_measure_that_got_worse(self):
        suite("run", self.write(self.job(0.1)), "--output-dir", self.folder / "before")
        slower = self.job(0.1)
        slower["command"][-1] = "0.5"
        suite("run", self.write(slower), "--output-dir", self.folder / "after")
        worse = suite("check", self.folder / "after", "--against", self.folder / "before", "--measure", "cpuSeconds", code=1)
        self.assertIn("spin, size 0.1: cpuSeconds got worse", worse.stderr)
        suite("check", self.folder / "before", "--against", self.folder / "before")

    def start_sleeper(self, *options):
        pids = self.folder / "job.pid", self.folder / "monitor.pid"
        commands = [["/usr/bin/python3", "-c", SLEEPER, str(pid)] for pid in pids]
        path = self.write({"name": "sleep", "command": commands[0]}, monitors=[commands[1]])
        command = [SPARKPROF, "suite", "run", path, "--output-dir", self.folder / "out", *options]
        process = self.start(*command, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        return process, [int(wait_until(lambda pid=pid: pid.exists() and pid.read_text(), "the job and its monitor")) for pid in pids]

    def assert_gone(self, pids):
        for pid in pids:
            wait_until(lambda pid=pid: not os.path.exists(f"/proc/{pid}"), "their end")

    def test_a_signal_ends_job_and_monitors_and_leaves_a_summary(self):
        process, pids = self.start_sleeper()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(DEADLINE), 143)
        self.assert_gone(pids)
        self.assertEqual(self.summary()["status"], "interrupted")

    def test_job_and_monitors_end_when_the_suite_is_killed(self):
        process, pids = self.start_sleeper()
        process.kill()
        process.wait(DEADLINE)
        self.assert_gone(pids)

    def assert_interrupted(self, server):
        run = wait_until(lambda: (run := server.get("/runs/1").json())["overallStatus"] != "running" and run, "the run's end")
        self.assertEqual(run["overallStatus"], "interrupted")
        self.assertGreaterEqual(run["endTime"], run["startTime"])

    def test_the_run_of_a_killed_suite_is_interrupted(self):
        with Collector(self.folder / "data") as server:
            process, pids = self.start_sleeper("--server", server.url)
            process.kill()
            process.wait(DEADLINE)
            self.assert_gone(pids)
            self.assert_interrupted(server)

    def test_the_run_of_a_killed_suite_is_interrupted_in_its_own_collector(self):
        process, _ = self.start_sleeper()
        process.kill()
        # The watcher holds the suite's standard error until it has stored the status.
        process.communicate(timeout=DEADLINE)
        with Collector(self.folder / "out" / "server") as server:
            self.assert_interrupted(server)

    def test_a_run_on_a_collector_has_log_processes_and_results_and_survives_a_kill(self):
        data = self.folder / "data"
        with Collector(data) as server:
            suite("run", self.write(self.job(0.3, repeats=1)), "--output-dir", self.folder / "out", "--server", server.url)
            server.kill()
        with Collector(data) as server:
            run = server.get("/runs/1").json()
            self.assertEqual((run["suiteName"], run["overallStatus"]), ("test", "passed"))
            self.assertEqual(run["results"]["jobs"][0]["repeats"][0]["exitCode"], 0)
            self.assertEqual([row["msgType"] for row in server.get("/runs/1/log").json()["rows"]], ["start", "end"])
            rows = server.get("/runs/1/processes").json()["rows"]
            self.assertIn("python_driver", {row["type"] for row in rows})
            table = server.get("/runs/1/processes", format="csv").body.decode().splitlines()
            self.assertEqual(len(table), len(rows) + 1)
            parquet = server.get("/runs/1/processes", format="parquet")
            self.assertEqual((parquet.status, parquet.body[:4], parquet.body[-4:]), (200, b"PAR1", b"PAR1"))
            same = suite("check", "1", "--against", self.folder / "out", "--server", server.url)
            self.assertIn("too few repeats", same.stdout)
            self.assertEqual([run["id"] for run in server.get("/runs", suite="test").json()["runs"]], [1])
            self.assertEqual(server.get("/runs", suite="other").json(), {"runs": [], "total": 0})

    def test_an_older_harness_writes_its_columns_and_wrong_rows_are_refused(self):
        def send(method, path, body, **options):
            return server.request(method, API + path, body, JSON, **options)

        reader, writer = "r" * 20, "w" * 20
        with Collector(self.folder / "data", tokens=f"read {reader}\ningest {writer}\n", token=writer) as server:
            run = send("POST", "/runs", {"suite_name": "old", "user": "me", "start_time": "2017-06-01 10:00:00"})
            self.assertEqual((run.status, run.json()["startTime"]), (201, 1496311200000))
            row = {"id": 5, "run_id": 1, "pid": 7, "pcpu": "529.0", "resident_size": 4096, "long_command": "java -Dpassword=hunter2 X"}
            self.assertEqual(send("POST", "/runs/1/processes", [row, row]).json(), {"rows": 2})
            self.assertEqual(send("POST", "/runs/1/log", {"msg_type": "start", "message": "job"}).json(), {"rows": 1})
            self.assertEqual(send("PATCH", "/runs/1", {"overall_status": "PASSED"}).json()["overallStatus"], "PASSED")
            server.token = reader
            rows = server.get("/runs/1/processes").json()["rows"]
            self.assertEqual((rows[0]["cpuPercent"], rows[0]["rssBytes"]), (529, 4096))
            self.assertNotIn("hunter2", json.dumps(rows))
            self.assertEqual(send("POST", "/runs", {}).status, 403)
            server.token = writer
            self.assertEqual(send("POST", "/runs/1/log", [{}, {"x": 1}]).status, 400)
            self.assertEqual(send("POST", "/runs/1/log", {"message": "x" * (9 << 20)}).status, 413)
            self.assertEqual(send("POST", "/runs/2/log", {}).status, 404)
            self.assertEqual(send("PATCH", "/runs/../1", {}).status, 400)
        audit = (self.folder / "data" / "audit.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line)["what"] for line in audit], ["create", "change"])

    def test_the_tables_of_an_older_harness_are_imported(self):
        tables = {
            "runs.csv": 'id,start_time,end_time,suite_name,user,overall_status\n41,2017-06-01 10:00:00,2017-06-01 11:00:00,"a, b",me,PASS\n',
            "log.csv": 'id,run_id,msg_time,msg_type,message\n1,41,2017-06-01 10:00:01,INFO,"said ""go""\nnow"\n',
            "processes.csv": "id,time_stamp,monitor,run_id,pid,ppid,pcpu,cpu_time,long_command\n"
            "1,2017-06-01 10:00:10,n1,41,7,1,529.0,00:01:02,java X\n",
        }
        for name, text in tables.items():
            (self.folder / name).write_text(text)
        with Collector(self.folder / "data") as server:
            printed = suite("import", *(self.folder / name for name in reversed(tables)), "--server", server.url)
            self.assertEqual(printed.stdout, "41 → 1\n")
            self.assertEqual(server.get("/runs/1").json()["suiteName"], "a, b")
            self.assertEqual(server.get("/runs/1/log").json()["rows"][0]["message"], 'said "go"\nnow')
            self.assertEqual(server.get("/runs/1/processes").json()["rows"][0]["cpuSeconds"], 62)
            wrong = suite("import", self.folder / "log.csv", "--server", server.url, code=2)
            self.assertIn("no table of runs", wrong.stderr)

    @slow("The suite of the examples is")
    def test_the_example_runs(self):
        suite("run", EXAMPLES / "suite.yaml", "--output-dir", self.folder / "out", env=Spark().environment())
        results = self.summary()
        self.assertEqual(results["status"], "passed")
        self.assertEqual(len(results["jobs"]), 6)
        self.assertTrue((self.folder / "out" / "udf-800000" / "3" / "profile" / "recording.sprof").exists())
        for job in results["jobs"]:
            self.assertIn("jvm_driver", job["repeats"][0]["maxima"])
        # Profile and node recording meet in a collector that watches both.
        profiled = self.folder / "out" / "udf-800000" / "3"
        application = json_of("info", profiled / "profile")["applications"][0]["id"]
        with Collector(self.folder / "data", "--watch", profiled) as server:
            server.wait_for(lambda rows: application in {row["id"] for row in rows}, "the application")
            page = gzip.decompress(server.get(f"/applications/{application}/report").body)
        self.assertIn(b'"process.private_bytes"', page)
        self.assertIn(("udf", "seconds"), {(growth["job"], growth["measure"]) for growth in results["growth"]})
