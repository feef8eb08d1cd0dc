# SPDX-License-Identifier: Apache-2.0
"""Spark Connect: the server that a client starts for itself, and one that runs on its own."""

import base64
import contextlib
import json
import os
import re
import signal
import unittest
import urllib.parse

from collector import Collector
from connect_client import client_packages
from history_comparison import compare_answers, get, history_server
from spark_jobs import Profile, Spark, conf_options, profiled, run_profiled, submit
from support import CACHE, JOBS, TestCase, execute, free_port, slow, sparkprof, wait_until

ROWS = 1000
BURNT_S = 2  # ROWS times 2 ms
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


def server_jar():
    """The server of Spark 3.5, which is no part of its PySpark, fetched once into the cache."""
    folder = CACHE / "connect-server-3.5.7"
    jar = folder / "spark-connect_2.12-3.5.7.jar"
    if not jar.exists():
        artifact = "org.apache.spark:spark-connect_2.12:3.5.7"
        try:
            execute("mvn", "-q", "-B", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}")
        except (OSError, AssertionError) as error:
            raise unittest.SkipTest(f"{artifact} cannot be fetched: {error}") from error
    return str(jar)


@slow("Spark Connect is")
class ConnectTest(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.spark = Spark()
        cls.client = client_packages(cls.spark)

    def check(self, recording):
        profile = Profile(self.folder, recording=recording)
        udfs = {udf["name"]: udf for udf in profile.show("udfs")}
        self.assertAlmostEqual(udfs["burnt"]["cpuNs"] / 1e9, BURNT_S, delta=0.1 * BURNT_S)
        joined = re.compile(r"org\.apache\.spark\.[^;]*;\[python worker\];.*\bburnt \(connect_udf\.py:\d+\)")
        under_task = sum(weight for stack, weight in profile.collapsed().items() if joined.search(stack))
        self.assertAlmostEqual(under_task / 1e9, BURNT_S, delta=0.15 * BURNT_S, msg=sparkprof("info", recording).stdout)
        self.check_tags(profile)

    def check_tags(self, profile):
        """The tags of the client's jobs select what it did, and nothing else does."""
        tags = {tag for job in profile.show("jobs") for tag in job["jobTags"]}
        sessions = [tag for tag in tags if tag.startswith("session:")]
        operations = [tag for tag in tags if tag.startswith("operation:")]
        self.assertEqual(len(sessions), 1, tags)
        self.assertGreaterEqual(len(operations), 1, tags)

        def burnt(tag):
            return profile.seconds("burnt (connect_udf.py", "--job-tag", tag)

        self.assertAlmostEqual(burnt(sessions[0]), BURNT_S, delta=0.15 * BURNT_S)
        self.assertAlmostEqual(sum(map(burnt, operations)), BURNT_S, delta=0.15 * BURNT_S)
        self.assertEqual(profile.collapsed("--job-tag", "session:none"), {})

    def test_a_client_that_starts_its_own_server(self):
        command = ["python", JOBS / "connect_udf.py", ROWS, "local[2]"]
        self.check(run_profiled(self.folder / "out", command, PYTHONPATH=self.client).recording)

    def test_a_server_of_its_own(self):
        self.check_server(self.spark, {})

    def test_a_server_of_spark_3(self):
        self.check_server(Spark("3.5.7"), {"spark.jars": server_jar()})

    def test_sessions_and_operations_are_those_of_the_history_server(self):
        spark = Spark("4.3.0")
        logs = self.folder / "logs"
        logs.mkdir()
        settings = " ".join(conf_options({"spark.eventLog.enabled": "true", "spark.eventLog.dir": logs.as_uri()}))
        environment = spark.environment(PYTHONPATH=self.client, PYSPARK_SUBMIT_ARGS=f"{settings} pyspark-shell")
        execute(spark.python, JOBS / "connect_udf.py", 10, "local[2]", env=environment)
        server = self.enter(Collector(self.folder / "data", "--watch", logs))
        with history_server(logs, "4.3.0") as url:
            (application,) = json.loads(get(url + "/applications")[1])
            base = f"/applications/{application['id']}/connect"
            (session,) = json.loads(get(f"{url}{base}/sessions")[1])
            operations = json.loads(get(f"{url}{base}/operations")[1])
            self.assertTrue(any(operation["jobIds"] for operation in operations), operations)
            user = base64.urlsafe_b64encode(session["userId"].encode()).decode().rstrip("=")
            paths = ["/sessions", f"/sessions/{session['sessionId']}?userId={user}", f"/sessions/{session['sessionId']}", "/sessions/none"]
            paths += ["/sessions/none?userId=bWU", "/sessions/none?userId=%25", "/operations", "/operations?offset=1&length=1"]
            paths += ["/operations/detail", "/operations/detail?jobTag=none"]
            paths += [f"/operations/detail?jobTag={urllib.parse.quote(operation['jobTag'])}" for operation in operations]
            wait_until(lambda: server.request("GET", f"/api/v1{base}/sessions").status == 200, "the event log is served")
            for path in paths:
                with self.subTest(path):
                    own = server.request("GET", f"/api/v1{base}{path}")
                    self.assertEqual(compare_answers(get(url + base + path), (own.status, own.body.decode())), [])

    def check_server(self, spark, conf):
        port = free_port()
        command = submit("spark-internal", conf=conf | {"spark.connect.grpc.binding.port": port}, options=["--class", SERVER])
        server = self.start(*profiled(self.folder / "out", command), env=spark.environment(), start_new_session=True)
        try:
            wait_until(lambda: self.listens(port) or server.poll() is not None, "Connect's server")
            environment = spark.environment(PYTHONPATH=self.client)
            client = execute(spark.python, JOBS / "connect_udf.py", ROWS, f"sc://localhost:{port}", env=environment)
            self.assertIn(f"rows {ROWS}", client.stdout)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGINT)
            server.wait(60)
        self.assertTrue((self.folder / "out" / "recording.sprof").exists(), self.printed()[-3000:])
        self.check(self.folder / "out" / "recording.sprof")

    @staticmethod
    def listens(port):
        """Whether a socket of this machine listens on the port: /proc/net/tcp*, state 0A."""
        for name in ("tcp", "tcp6"):
            with open(f"/proc/net/{name}", encoding="ascii") as file:
                for line in file.readlines()[1:]:
                    fields = line.split()
                    if fields[3] == "0A" and int(fields[1].rsplit(":", 1)[1], 16) == port:
                        return True
        return False
