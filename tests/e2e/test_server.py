# SPDX-License-Identifier: Apache-2.0
"""Recordings that the plugin sends to a server while a job runs: complete, in order, and at no cost to the job."""

import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time
import urllib.request

import recording_server
import support

UNTIL_STOPPED = support.JOBS / "until_stopped.py"
LIB = support.REPOSITORY / "lib" / "sparkprof-spark.jar"


class Server:
    """recording_server.py as a process."""

    def __init__(self, folder, port=0, *options):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        command = [sys.executable, recording_server.__file__, str(port), str(folder), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}"

    def requests(self, what, path=""):
        log = self.folder / "requests.log"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return [line for line in lines if f"{path} {what}" in line]

    def info(self):
        return json.loads(support.sparkprof("info", "--json", self.folder / "blocks.sprof").stdout)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class ServerTest(support.TestCase):
    def setUp(self):
        super().setUp()
        self.spark = support.Spark(support.SPARK_VERSIONS[0])
        self.running = self.folder / "running"
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def serve(self, port=0, *options):
        server = Server(self.folder / "server", port, *options)
        self.addCleanup(server.kill)
        return server

    def start(self, *options, master="local[2]", job=(UNTIL_STOPPED,), **environment):
        """A plain spark-submit with the plugin, in the background; the job runs until `self.running` is deleted."""
        command = [
            self.spark.home / "bin" / "spark-submit",
            "--master",
            master,
            "--driver-class-path",
            LIB,
            "--jars",
            LIB,
            "--conf",
            "spark.ui.enabled=false",
            "--conf",
            "spark.plugins=org.sparkprof.SparkProfPlugin",
            "--driver-java-options",
            f"-Djava.io.tmpdir={self.temporary}",
            *options,
            *job,
            self.running,
        ]
        with open(self.folder / "stderr", "wb") as stderr:
            process = subprocess.Popen(
                list(map(str, command)), stdout=subprocess.PIPE, stderr=stderr, cwd=self.folder, env=self.spark.environment(**environment)
            )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        """Ends the job; its standard output."""
        self.running.unlink()
        output, _ = process.communicate(timeout=support.DEADLINE)
        self.assertEqual(process.returncode, 0, self.log()[-6000:])
        return output

    def log(self):
        return (self.folder / "stderr").read_text(errors="replace")

    def log_lines(self, text):
        return [line for line in self.log().splitlines() if "sparkprof: " in line and text in line]

    def spools(self):
        return sorted(path.name for path in self.folder.glob("**/*.sprof") if path.parent.name != "server")

    def assert_whole(self, info):
        """Driver and two executors; a reader notices a JVM that is missing."""
        self.assertEqual((len(info["applications"]), info["counts"]["executors"]), (1, 2), info)
        self.assertTrue(info["complete"], info)
        self.assertGreater(info["samples"]["cpu"]["onTaskThreads"], 0, info)

    @support.slow("a test of minutes is")
    def test_the_server_has_what_the_local_recording_has_although_it_was_away(self):
        server = self.serve()
        output = self.folder / "output"
        process = subprocess.Popen(
            [
                support.SPARKPROF,
                "run",
                "--server",
                server.url,
                "--output-dir",
                output,
                "--",
                "spark-submit",
                "--master",
                "local[2]",
                UNTIL_STOPPED,
                self.running,
            ],
            env=self.spark.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.kill)
        support.wait_until(lambda: server.requests("stored"), "the first blocks")
        support.wait_until(self.running.exists, "the first job")
        server.kill()
        # Over several attempts; the recording grows meanwhile.
        time.sleep(6)
        server = self.serve(server.port)
        before = len(server.requests("stored"))
        support.wait_until(lambda: len(server.requests("stored")) > before, "blocks after the server's restart")
        self.running.unlink()
        stdout, stderr = process.communicate(timeout=support.DEADLINE)
        self.assertEqual(process.returncode, 0, stderr)
        self.assertEqual(stdout, "")
        local = json.loads(support.sparkprof("info", "--json", output / "recording.sprof").stdout)
        self.assertTrue(local["complete"], local)
        self.assertEqual(server.info(), local)
        self.assertEqual((server.folder / "blocks.sprof").stat().st_size, (output / "recording.sprof").stat().st_size)
        self.assertIn(f"sparkprof: server: {server.url}/applications/{local['applications'][0]['id']}\n", stderr)
        self.assertTrue(all("duplicates 0" in line for line in server.requests("stored")), server.requests("stored"))

    def test_a_server_that_never_answers_does_not_change_the_job(self):
        server = self.serve(0, "--mode", "hang")
        process = self.start("--conf", f"spark.sparkprof.server={server.url}")
        support.wait_until(lambda: server.requests("hang"), "the first request")
        support.wait_until(self.running.exists, "the first job")
        start = time.monotonic()
        self.assertEqual(self.finish(process), b"")
        self.assertLess(time.monotonic() - start, 300, "it waited for the server, which sleeps for an hour")
        left = self.log_lines("sparkprof push ")
        self.assertEqual(len(left), 1, self.log())
        path = shlex.split(left[0].split("sparkprof push ")[1].split(" --server")[0])[0]
        self.assertTrue(json.loads(support.sparkprof("info", "--json", path).stdout)["complete"])

    def test_executors_on_other_machines_send_theirs_with_the_drivers_token(self):
        server = self.serve(0, "--token", "open-sesame")
        token = self.folder / "token"
        token.write_text("open-sesame\n")
        cluster = support.Cluster(self.spark, self.folder, hosts=("127.0.0.1", "127.0.0.2"))
        self.addCleanup(cluster.close)
        process = self.start(
            "--conf",
            f"spark.sparkprof.server={server.url}",
            "--conf",
            "spark.executor.memory=512m",
            "--conf",
            f"spark.executor.extraClassPath={LIB}",
            master=cluster.url,
            SPARKPROF_SERVER_TOKEN_FILE=str(token),
        )
        support.wait_until(self.running.exists, "the first job")
        support.wait_until(lambda: len(server.requests("stored")) > 6, "blocks of all JVMs")
        self.finish(process)
        info = server.info()
        self.assert_whole(info)
        self.assertEqual(server.requests("unauthorized"), [])
        self.assertNotIn("open-sesame", self.log())
        self.assertNotIn(b"open-sesame", (server.folder / "blocks.sprof").read_bytes())
        support.wait_until(lambda: not self.spools(), "the spools' end")

    @support.slow("a test of minutes is")
    def test_executors_without_a_way_to_the_server_send_theirs_through_the_driver(self):
        server = self.serve()
        process = self.start(
            "--conf",
            f"spark.sparkprof.server={server.url}",
            "--conf",
            "spark.sparkprof.transport=driver",
            "--conf",
            "spark.executor.memory=512m",
            "--conf",
            f"spark.executor.extraClassPath={LIB}",
            master="local-cluster[2,1,512]",
        )
        support.wait_until(self.running.exists, "the first job")
        support.wait_until(lambda: len(server.requests("stored")) > 2, "blocks")
        self.finish(process)
        info = server.info()
        self.assert_whole(info)
        self.assertEqual(self.spools(), [])

    def test_a_token_that_is_not_accepted_costs_one_warning(self):
        server = self.serve(0, "--token", "other")
        process = self.start("--conf", f"spark.sparkprof.server={server.url}", SPARKPROF_SERVER_TOKEN="planted-token")
        support.wait_until(lambda: server.requests("unauthorized"), "the first request")
        first = time.monotonic()
        support.wait_until(self.running.exists, "the first job")
        self.assertEqual(self.finish(process), b"")
        # One at first, one at the end, and one every 30 s between them on a slow machine.
        self.assertLessEqual(len(server.requests("unauthorized", "/recordings")), 3 + (time.monotonic() - first) // 30)
        self.assertEqual(len(self.log_lines("does not accept the token")), 1, self.log())
        self.assertEqual(len(self.log_lines("sparkprof push ")), 1, self.log())
        self.assertNotIn("planted-token", self.log())
        path = shlex.split(self.log_lines("sparkprof push ")[0].split("sparkprof push ")[1].split(" --server")[0])[0]
        info = support.sparkprof("info", path).stdout
        self.assertIn("does not accept the token", info)

    @support.slow("a test of minutes is")
    def test_a_groups_configuration_takes_effect_on_running_jvms(self):
        server = self.serve()
        process = self.start(
            "--conf",
            f"spark.sparkprof.server={server.url}",
            "--conf",
            "spark.sparkprof.label=nightly/etl",
            "--conf",
            "spark.executor.memory=512m",
            "--conf",
            f"spark.executor.extraClassPath={LIB}",
            master="local-cluster[2,1,512]",
        )
        support.wait_until(self.running.exists, "the first job")
        (server.folder / "configuration.json").write_text(
            json.dumps({"version": 7, "configuration": {"cpu.interval": "20ms", "events": "cpu", "color": "red"}})
        )
        configured = time.time()
        text = "Configuration of group nightly/etl, version 7, in effect: color=red, cpu.interval=20ms, events=cpu"

        def in_effect():
            return [notice for notice in server.info()["notices"] if notice["text"].startswith(text)]

        support.wait_until(lambda: len(in_effect()) == 3, "the driver's and both executors' notices")
        self.assertLess(max(notice["time"] for notice in in_effect()) / 1000 - configured, 60, in_effect())
        (server.folder / "configuration.json").write_text(
            json.dumps({"version": 8, "configuration": {"executor.enabled": False, "driver.enabled": False}})
        )
        stopped = "version 8, in effect: driver.enabled=false, executor.enabled=false"
        support.wait_until(
            lambda: len([notice for notice in server.info()["notices"] if stopped in notice["text"]]) == 3, "the second change"
        )
        # Blocks with earlier samples may arrive in the next upload.
        time.sleep(7)
        before = server.info()["samples"]["cpu"]
        time.sleep(8)
        after = server.info()["samples"]["cpu"]
        self.finish(process)
        self.assertTrue(any("/groups/nightly%2Fetl/configuration" in line for line in server.requests("get")))
        info = server.info()
        self.assertEqual(len([n for n in info["notices"] if "ignored: color is not a setting" in n["text"]]), 1, info["notices"])
        self.assertEqual(after, before, "sampled although it is off")
        restarts = [loss for loss in info["losses"] if "another configuration" in loss["reason"]]
        self.assertEqual([loss["what"] for loss in restarts], ["profiling_ms"], info["losses"])

    @support.slow("a test of minutes is")
    def test_the_real_server_shows_the_job_while_it_runs_and_configures_it(self):
        server = subprocess.Popen(
            [support.SPARKPROF, "serve", "--listen", "127.0.0.1:0", "--data", self.folder / "data"], stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        url = server.stderr.readline().split()[-1].rstrip("/")

        def get(path):
            with urllib.request.urlopen(f"{url}/api/sparkprof/v1{path}", timeout=support.DEADLINE) as answer:
                return json.load(answer)

        output = self.folder / "output"
        process = subprocess.Popen(
            [
                support.SPARKPROF,
                "run",
                "--server",
                url,
                "--output-dir",
                output,
                "--",
                "spark-submit",
                "--master",
                "local[2]",
                "--conf",
                "spark.sparkprof.label=nightly",
                UNTIL_STOPPED,
                self.running,
            ],
            env=self.spark.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        listed = support.wait_until(
            lambda: [row for row in get("/applications")["applications"] if row["id"].startswith("local-")], "the application"
        )
        self.assertLess(time.time() - listed[0]["startTime"] / 1000, 15)
        support.wait_until(self.running.exists, "the first job")
        support.sparkprof("collector", "configure", "--server", url, "--group", "nightly", "events=cpu", "stackDepth=64")
        configured = time.time()
        page = f"/applications/{listed[0]['id']}"
        in_effect = "Configuration of group nightly, version 1, in effect: events=cpu, stackDepth=64"
        notice = support.wait_until(
            lambda: next((notice for notice in get(page)["notices"] if in_effect in notice["text"]), None), "the notice"
        )
        self.assertLess(notice["time"] / 1000 - configured, 60)
        self.running.unlink()
        _, stderr = process.communicate(timeout=support.DEADLINE)
        self.assertEqual(process.returncode, 0, stderr)
        self.assertIn(f"sparkprof: server: {url}{page}\n", stderr)
        local = json.loads(support.sparkprof("info", "--json", output / "recording.sprof").stdout)
        self.assertTrue(local["complete"], local)
        self.assertEqual(get(page), local)

    @support.slow("a test of minutes is")
    def test_run_sends_the_rest_of_a_killed_jobs_recording(self):
        server = self.serve()
        output = self.folder / "output"
        process = subprocess.Popen(
            [
                support.SPARKPROF,
                "run",
                "--server",
                server.url,
                "--no-report",
                "--output-dir",
                output,
                "--",
                "spark-submit",
                "--master",
                "local[2]",
                UNTIL_STOPPED,
                self.running,
            ],
            env=self.spark.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.kill)
        support.wait_until(lambda: server.requests("stored"), "the first blocks")
        support.wait_until(self.running.exists, "the first job")
        os.kill(self.driver(), signal.SIGKILL)
        _, stderr = process.communicate(timeout=support.DEADLINE)
        self.assertNotEqual(process.returncode, 0, stderr)
        local = json.loads(support.sparkprof("info", "--json", output / "recording.sprof").stdout)
        self.assertGreater(local["counts"]["tasks"], 0, local)
        self.assertEqual(server.info(), local)

    def driver(self):
        """The PID of the driver's JVM."""
        return next(
            pid
            for pid in support.processes_named("org.apache.spark.deploy.SparkSubmit")
            if str(self.running).encode() in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        )

    @support.slow("the rest of a killed job is")
    def test_the_rest_of_a_killed_jobs_recording_stays_on_its_machine(self):
        server = self.serve()
        process = self.start("--conf", f"spark.sparkprof.server={server.url}")
        support.wait_until(self.running.exists, "the first job")
        support.wait_until(lambda: server.requests("stored"), "the first blocks")
        jvm = self.driver()
        os.kill(jvm, signal.SIGKILL)
        process.wait(support.DEADLINE)
        support.wait_until(lambda: not support.agents(below=jvm), "the agent's end")
        self.assertEqual(len(self.spools()), 1)
