# SPDX-License-Identifier: Apache-2.0
"""Recordings that the plugin sends to a server while a job runs: complete, in order, and at no cost to the job."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time

import recording_server
from collector import Collector
from proc import agents, processes_named, words_of
from spark_jobs import Cluster, Spark, profiled, submit
from support import DEADLINE, PLUGIN_JAR, TestCase, json_of, slow, sparkprof, wait_until

UNTIL_STOPPED = "until_stopped.py"
SMALL = {"spark.executor.memory": "512m", "spark.executor.extraClassPath": PLUGIN_JAR}


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
        return json_of("info", self.folder / "blocks.sprof")

    def configure(self, version, configuration):
        (self.folder / "configuration.json").write_text(json.dumps({"version": version, "configuration": configuration}))

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class ServerTest(TestCase):
    def setUp(self):
        super().setUp()
        self.spark = Spark()
        self.running = self.folder / "running"
        self.recording = self.folder / "output" / "recording.sprof"
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def serve(self, port=0, *options):
        server = Server(self.folder / "server", port, *options)
        self.addCleanup(server.kill)
        return server

    def start_job(self, conf, master="local[2]", **environment):
        """A plain spark-submit with the plugin, in the background; the job runs until `self.running` is deleted."""
        options = ["--driver-class-path", PLUGIN_JAR, "--jars", PLUGIN_JAR, "--driver-java-options", f"-Djava.io.tmpdir={self.temporary}"]
        conf = {"spark.ui.enabled": "false", "spark.plugins": "org.sparkprof.SparkProfPlugin"} | conf
        command = submit(UNTIL_STOPPED, self.running, master=master, conf=conf, options=options)
        return self.start(*command, cwd=self.folder, env=self.spark.environment(**environment))

    def start_profiled(self, url, *options, conf=None):
        """The same under `sparkprof run`."""
        command = profiled(self.folder / "output", submit(UNTIL_STOPPED, self.running, conf=conf), ["--server", url, *options])
        return self.start(*command, env=self.spark.environment())

    def end_job(self, process):
        """Lets the job end; its standard output."""
        self.running.unlink()
        return self.finish(process).stdout

    def log_lines(self, text):
        return [line for line in self.printed().splitlines() if "sparkprof: " in line and text in line]

    def kept(self):
        """The path of the recording to push, as the log of the job has it."""
        [line] = self.log_lines("sparkprof push ")
        return shlex.split(line.split("sparkprof push ")[1].split(" --server")[0])[0]

    def spools(self):
        return sorted(path.name for path in self.folder.glob("**/*.sprof") if path.parent.name != "server")

    def assert_whole(self, info):
        """Driver and two executors; a reader notices a JVM that is missing."""
        self.assertEqual((len(info["applications"]), info["counts"]["executors"]), (1, 2), info)
        self.assertTrue(info["complete"], info)
        self.assertGreater(info["samples"]["cpu"]["onTaskThreads"], 0, info)

    @slow("a test of minutes is")
    def test_the_server_has_what_the_local_recording_has_although_it_was_away(self):
        server = self.serve()
        process = self.start_profiled(server.url)
        wait_until(lambda: server.requests("stored"), "the first blocks")
        wait_until(self.running.exists, "the first job")
        server.kill()
        # Over several attempts; the recording grows meanwhile.
        time.sleep(6)
        server = self.serve(server.port)
        before = len(server.requests("stored"))
        wait_until(lambda: len(server.requests("stored")) > before, "blocks after the server's restart")
        self.assertEqual(self.end_job(process), "")
        local = json_of("info", self.recording)
        self.assertTrue(local["complete"], local)
        self.assertEqual(server.info(), local)
        self.assertEqual((server.folder / "blocks.sprof").stat().st_size, self.recording.stat().st_size)
        self.assertIn(f"sparkprof: server: {server.url}/applications/{local['applications'][0]['id']}\n", self.printed())
        self.assertTrue(all("duplicates 0" in line for line in server.requests("stored")), server.requests("stored"))

    def test_a_server_that_never_answers_does_not_change_the_job(self):
        server = self.serve(0, "--mode", "hang")
        process = self.start_job({"spark.sparkprof.server": server.url})
        wait_until(lambda: server.requests("hang"), "the first request")
        wait_until(self.running.exists, "the first job")
        start = time.monotonic()
        self.assertEqual(self.end_job(process), "")
        self.assertLess(time.monotonic() - start, 300, "it waited for the server, which sleeps for an hour")
        self.assertTrue(json_of("info", self.kept())["complete"])

    def test_executors_on_other_machines_send_theirs_with_the_drivers_token(self):
        server = self.serve(0, "--token", "open-sesame")
        token = self.folder / "token"
        token.write_text("open-sesame\n")
        cluster = Cluster(self, self.spark, hosts=("127.0.0.1", "127.0.0.2"))
        process = self.start_job({"spark.sparkprof.server": server.url} | SMALL, cluster.url, SPARKPROF_SERVER_TOKEN_FILE=token)
        wait_until(self.running.exists, "the first job")
        wait_until(lambda: len(server.requests("stored")) > 6, "blocks of all JVMs")
        self.end_job(process)
        info = server.info()
        self.assert_whole(info)
        self.assertEqual(server.requests("unauthorized"), [])
        self.assertNotIn("open-sesame", self.printed())
        self.assertNotIn(b"open-sesame", (server.folder / "blocks.sprof").read_bytes())
        wait_until(lambda: not self.spools(), "the spools' end")

    @slow("a test of minutes is")
    def test_executors_without_a_way_to_the_server_send_theirs_through_the_driver(self):
        server = self.serve()
        conf = {"spark.sparkprof.server": server.url, "spark.sparkprof.transport": "driver"}
        process = self.start_job(conf | SMALL, "local-cluster[2,1,512]")
        wait_until(self.running.exists, "the first job")
        wait_until(lambda: len(server.requests("stored")) > 2, "blocks")
        self.end_job(process)
        info = server.info()
        self.assert_whole(info)
        self.assertEqual(self.spools(), [])

    def test_a_token_that_is_not_accepted_costs_one_warning(self):
        server = self.serve(0, "--token", "other")
        process = self.start_job({"spark.sparkprof.server": server.url}, SPARKPROF_SERVER_TOKEN="planted-token")
        wait_until(lambda: server.requests("unauthorized"), "the first request")
        first = time.monotonic()
        wait_until(self.running.exists, "the first job")
        self.assertEqual(self.end_job(process), "")
        # One at first, one at the end, and one every 30 s between them on a slow machine.
        self.assertLessEqual(len(server.requests("unauthorized", "/recordings")), 3 + (time.monotonic() - first) // 30)
        self.assertEqual(len(self.log_lines("does not accept the token")), 1, self.printed())
        self.assertNotIn("planted-token", self.printed())
        self.assertIn("does not accept the token", sparkprof("info", self.kept()).stdout)

    @slow("a test of minutes is")
    def test_a_groups_configuration_takes_effect_on_running_jvms(self):
        server = self.serve()
        conf = {"spark.sparkprof.server": server.url, "spark.sparkprof.label": "nightly/etl"}
        process = self.start_job(conf | SMALL, "local-cluster[2,1,512]")
        wait_until(self.running.exists, "the first job")
        server.configure(7, {"cpu.interval": "20ms", "events": "cpu", "color": "red"})
        configured = time.time()
        text = "Configuration of group nightly/etl, version 7, in effect: color=red, cpu.interval=20ms, events=cpu"

        def in_effect():
            return [notice for notice in server.info()["notices"] if notice["text"].startswith(text)]

        wait_until(lambda: len(in_effect()) == 3, "the driver's and both executors' notices")
        self.assertLess(max(notice["time"] for notice in in_effect()) / 1000 - configured, 60, in_effect())
        server.configure(8, {"executor.enabled": False, "driver.enabled": False})
        stopped = "version 8, in effect: driver.enabled=false, executor.enabled=false"
        wait_until(lambda: len([notice for notice in server.info()["notices"] if stopped in notice["text"]]) == 3, "the second change")
        # Blocks with earlier samples may arrive in the next upload.
        time.sleep(7)
        before = server.info()["samples"]["cpu"]
        time.sleep(8)
        after = server.info()["samples"]["cpu"]
        self.end_job(process)
        self.assertTrue(any("/groups/nightly%2Fetl/configuration" in line for line in server.requests("get")))
        info = server.info()
        self.assertEqual(len([n for n in info["notices"] if "ignored: color is not a setting" in n["text"]]), 1, info["notices"])
        self.assertEqual(after, before, "sampled although it is off")
        restarts = [loss for loss in info["losses"] if "another configuration" in loss["reason"]]
        self.assertEqual([loss["what"] for loss in restarts], ["profiling_ms"], info["losses"])

    @slow("a test of minutes is")
    def test_the_real_server_shows_the_job_while_it_runs_and_configures_it(self):
        server = self.enter(Collector(self.folder / "data"))
        process = self.start_profiled(server.url, conf={"spark.sparkprof.label": "nightly"})
        listed = wait_until(lambda: [row for row in server.applications() if row["id"].startswith("local-")], "the application")
        self.assertLess(time.time() - listed[0]["startTime"] / 1000, 15)
        wait_until(self.running.exists, "the first job")
        sparkprof("collector", "configure", "--server", server.url, "--group", "nightly", "events=cpu", "stackDepth=64")
        configured = time.time()
        page = f"/applications/{listed[0]['id']}"
        in_effect = "Configuration of group nightly, version 1, in effect: events=cpu, stackDepth=64"

        def in_force():
            return next((notice for notice in server.get(page).json()["notices"] if in_effect in notice["text"]), None)

        notice = wait_until(in_force, "the notice")
        self.assertLess(notice["time"] / 1000 - configured, 60)
        self.end_job(process)
        self.assertIn(f"sparkprof: server: {server.url}{page}\n", self.printed())
        local = json_of("info", self.recording)
        self.assertTrue(local["complete"], local)
        self.assertEqual(server.get(page).json(), local)

    @slow("a test of minutes is")
    def test_run_sends_the_rest_of_a_killed_jobs_recording(self):
        server = self.serve()
        process = self.start_profiled(server.url, "--no-report")
        wait_until(lambda: server.requests("stored"), "the first blocks")
        wait_until(self.running.exists, "the first job")
        os.kill(self.driver(), signal.SIGKILL)
        self.assertNotEqual(process.wait(DEADLINE), 0, self.printed())
        local = json_of("info", self.recording)
        self.assertGreater(local["counts"]["tasks"], 0, local)
        self.assertEqual(server.info(), local)

    def driver(self):
        """The PID of the driver's JVM."""
        return next(pid for pid in processes_named("org.apache.spark.deploy.SparkSubmit") if str(self.running) in words_of(pid))

    @slow("the rest of a killed job is")
    def test_the_rest_of_a_killed_jobs_recording_stays_on_its_machine(self):
        server = self.serve()
        process = self.start_job({"spark.sparkprof.server": server.url})
        wait_until(self.running.exists, "the first job")
        wait_until(lambda: server.requests("stored"), "the first blocks")
        jvm = self.driver()
        os.kill(jvm, signal.SIGKILL)
        process.wait(DEADLINE)
        wait_until(lambda: not agents(below=jvm), "the agent's end")
        self.assertEqual(len(self.spools()), 1)
