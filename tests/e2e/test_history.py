# SPDX-License-Identifier: Apache-2.0
"""Spark's REST API on `sparkprof serve --watch`: as a real History Server answers, and over HTTP for small logs made here."""

import io
import json
import os
import pathlib
import subprocess
import sys
import unittest
import zipfile

import collector
import history_comparison
import support

SHARED_LOGS = pathlib.Path(os.environ.get("SPARKPROF_SHARED_DATA", support.REPOSITORY.parent / "shared" / "data")) / "eventlogs"
# Spark's History Server stops at a malformed line and leaves the application out; sparkprof skips the line.
NOT_LISTED_BY_SPARK = {"application_1603128018386_7759"}
SPARK_TESTS = support.CACHE / "peers" / "spark-core_2.13-4.1.1-tests.jar"
HERE = pathlib.Path(__file__).parent
HISTORY_CLIENT = support.CACHE / "peers" / "history-client" / "bin" / "python"
EVENT_LOG = support.REPOSITORY / "tests" / "cases" / "event_log.py"

# Requests of Spark's own HistoryServerSuite, by the name of the file with the golden answer.
SUITE = {
    "application_list_json": "applications",
    "completed_app_list_json": "applications?status=completed",
    "running_app_list_json": "applications?status=running",
    "minDate_app_list_json": "applications?minDate=2015-02-10",
    "maxDate_app_list_json": "applications?maxDate=2015-02-10",
    "maxDate2_app_list_json": "applications?maxDate=2015-02-03T16:42:40.000GMT",
    "minEndDate_app_list_json": "applications?minEndDate=2015-05-06T13:03:00.950GMT",
    "maxEndDate_app_list_json": "applications?maxEndDate=2015-05-06T13:03:00.950GMT",
    "limit_app_list_json": "applications?limit=3",
    "one_app_json": "applications/local-1422981780767",
    "one_app_multi_attempt_json": "applications/local-1426533911241",
    "job_list_json": "applications/local-1422981780767/jobs",
    "job_list_from_multi_attempt_app_json_1_": "applications/local-1426533911241/1/jobs",
    "one_job_json": "applications/local-1422981780767/jobs/0",
    "succeeded_failed_job_list_json": "applications/local-1422981780767/jobs?status=succeeded&status=failed",
    "executor_list_json": "applications/local-1422981780767/executors",
    "executor_list_with_executor_metrics_json": "applications/application_1553914137147_0018/executors",
    "stage_list_json": "applications/local-1422981780767/stages",
    "complete_stage_list_json": "applications/local-1422981780767/stages?status=complete",
    "failed_stage_list_json": "applications/local-1422981780767/stages?status=failed",
    "one_stage_json": "applications/local-1422981780767/stages/1",
    "one_stage_attempt_json": "applications/local-1422981780767/stages/1/0",
    "stage_task_summary_w_shuffle_write": "applications/local-1430917381534/stages/0/0/taskSummary",
    "stage_task_summary_w_shuffle_read": "applications/local-1430917381534/stages/1/0/taskSummary",
    "stage_task_summary_w__custom_quantiles": "applications/local-1430917381534/stages/0/0/taskSummary?quantiles=0.01,0.5,0.99",
    "stage_task_list": "applications/local-1430917381534/stages/0/0/taskList",
    "stage_task_list_w__offset___length": "applications/local-1430917381534/stages/0/0/taskList?offset=10&length=50",
    "stage_task_list_w__sortBy": "applications/local-1430917381534/stages/0/0/taskList?sortBy=DECREASING_RUNTIME",
    "stage_task_list_w__sortBy_short_names__runtime": "applications/local-1430917381534/stages/0/0/taskList?sortBy=runtime",
    "stage_list_with_accumulable_json": "applications/local-1426533911241/1/stages",
    "stage_with_accumulable_json": "applications/local-1426533911241/1/stages/0/0",
    "excludeOnFailure_for_stage": "applications/app-20180109111548-0000/stages/0/0",
    "excludeOnFailure_node_for_stage": "applications/application_1516285256255_0012/stages/0/0",
    "executor_node_excludeOnFailure": "applications/app-20161116163331-0000/executors",
    "executor_resource_information": "applications/application_1555004656427_0144/executors",
    "app_environment": "applications/app-20161116163331-0000/environment",
    "rdd_list_storage_json": "applications/local-1422981780767/storage/rdd",
    "miscellaneous_process": "applications/application_1555004656427_0144/allmiscellaneousprocess",
}


def serve(test, folder):
    """The collector watching `folder`, and a function that gets a path of Spark's API."""
    server = collector.Collector(test.folder / "data", "--watch", folder)
    test.addCleanup(server.stop)

    def fetch(path):
        answer = server.request("GET", "/api/v1" + path)
        return answer.status, answer.body.decode(errors="replace")

    def wait_for(applications):
        support.wait_until(lambda: len(json.loads(fetch("/applications")[1])) >= applications, f"{applications} event logs are listed")

    fetch.server, fetch.wait_for = server, wait_for
    return fetch


class SmallLogTest(support.TestCase):
    def test_a_watched_event_log_is_served_as_by_the_history_server(self):
        logs = self.folder / "logs"
        logs.mkdir()
        text = subprocess.run(
            [sys.executable, EVENT_LOG, "3 duration=2000 run=1990 records=10", "1 duration=9000", "1 status=failed reason=disk"],
            check=True,
            capture_output=True,
        ).stdout
        (logs / "app-1").write_bytes(text)
        fetch = serve(self, logs)
        fetch.wait_for(1)
        self.assertEqual(json.loads(fetch("/version")[1]), {"spark": "4.1.1"})
        listed = json.loads(fetch("/applications")[1])
        self.assertEqual([application["id"] for application in listed], ["app-1"])
        self.assertEqual(json.loads(fetch("/applications/app-1")[1]), listed[0])
        stage = json.loads(fetch("/applications/app-1/stages?details=true&withSummaries=true")[1])[0]
        self.assertEqual((stage["stageId"], stage["numTasks"], stage["numFailedTasks"]), (3, 5, 1))
        self.assertEqual(len(stage["tasks"]), 5)
        self.assertEqual(stage["taskMetricsDistributions"]["executorRunTime"][0], 1990.0)
        slowest = json.loads(fetch("/applications/app-1/stages/3/0/taskList?sortBy=-runtime&length=1")[1])
        self.assertEqual(slowest[0]["taskMetrics"]["executorRunTime"], 9000)
        self.assertEqual(fetch("/applications/nobody"), (404, "unknown app: nobody"))
        self.assertEqual(fetch("/applications/nobody/jobs"), (404, "no such app: nobody"))
        self.assertEqual(fetch("/applications/app-1/stages/3/0/taskSummary?quantiles=x")[0], 400)
        archive = fetch.server.request("GET", "/api/v1/applications/app-1/logs")
        with zipfile.ZipFile(io.BytesIO(archive.body)) as files:
            self.assertEqual(files.namelist(), ["app-1"])
            self.assertEqual(files.read("app-1"), text)


class PushedLogTest(support.TestCase):
    """Event logs that `sparkprof push` has sent are answered as those in a watched folder."""

    PATHS = (
        "",
        "/jobs",
        "/stages?details=true&withSummaries=true",
        "/stages/3/0/taskList?length=1000",
        "/stages/3/0/taskSummary",
        "/allexecutors",
        "/environment",
        "/sql",
        "/storage/rdd",
        "/jobs?status=failed",
    )

    def setUp(self):
        super().setUp()
        self.logs = self.folder / "logs"
        self.logs.mkdir()

    def write_log(self, name, *groups):
        text = subprocess.run([sys.executable, EVENT_LOG, *groups], check=True, capture_output=True).stdout.replace(
            b'"app-1"', b'"%s"' % name.encode()
        )
        (self.logs / name).write_bytes(text)
        return text

    def serve(self, *options):
        server = collector.Collector(self.folder / "data", *options)
        self.addCleanup(server.stop)
        return server

    def push(self, server, *names):
        support.sparkprof("push", *(self.logs / name for name in names), "--server", server.url)

    def api(self, server, path):
        answer = server.request("GET", f"/api/v1/applications{path}")
        return answer.status, answer.body.decode()

    def without_times_of_files(self, answer):
        """A recording has no time of the log's last change."""
        status, text = answer
        applications = json.loads(text)
        for application in applications if isinstance(applications, list) else [applications]:
            for attempt in application.get("attempts", []):
                del attempt["lastUpdated"], attempt["lastUpdatedEpoch"]
        return status, applications

    def test_every_answer_is_that_of_the_log_itself(self):
        names = ("app-long", "app-failed")
        self.write_log("app-long", "5000 duration=20 records=7", "3 duration=90 status=failed", "2 status=killed")
        self.write_log("app-failed", "failed", "4 duration=1000 status=failed reason=disk")
        watched = collector.Collector(self.folder / "watching", "--watch", self.logs)
        self.addCleanup(watched.stop)
        support.wait_until(lambda: len(json.loads(self.api(watched, "")[1])) == 2, "the watched logs")
        server = self.serve()
        self.push(server, *names)
        support.wait_until(lambda: len(json.loads(self.api(server, "")[1])) == 2, "the pushed logs")
        self.assertEqual(self.without_times_of_files(self.api(server, "")), self.without_times_of_files(self.api(watched, "")))
        for name in names:
            for path in self.PATHS:
                with self.subTest(name + path):
                    expected, answer = self.api(watched, f"/{name}{path}"), self.api(server, f"/{name}{path}")
                    if not path:
                        expected, answer = self.without_times_of_files(expected), self.without_times_of_files(answer)
                    self.assertEqual(answer, expected)
        self.assertEqual(self.api(server, "/app-long/1/jobs"), (404, "no such app: app-long/1"))
        self.assertEqual(self.api(server, "/app-other/jobs"), (404, "no such app: app-other"))

    def test_it_outlasts_restarts_compaction_and_a_new_catalogue(self):
        text = self.write_log("app-1", "30 duration=20 records=7")
        server = self.serve()
        self.push(server, "app-1")
        support.wait_until(lambda: json.loads(self.api(server, "")[1]), "the pushed log")
        expected = self.api(server, "/app-1/stages?details=true")
        self.assertEqual(expected[0], 200)
        server.stop()
        data = self.folder / "data"
        for command in (["compact"], ["rebuild"], ["verify"]):
            done = support.sparkprof("collector", *command, "--data", data)
        self.assertEqual(done.stdout, "no problems found\n")
        server = self.serve()
        self.assertEqual(self.api(server, "/app-1/stages?details=true"), expected)
        archive = server.request("GET", "/api/v1/applications/app-1/logs")
        with zipfile.ZipFile(io.BytesIO(archive.body)) as files:
            self.assertEqual(files.namelist(), ["app-1.zstd"])
            (self.folder / "app-1.zstd").write_bytes(files.read("app-1.zstd"))
        unpacked = subprocess.run(["zstd", "-dc", self.folder / "app-1.zstd"], check=True, capture_output=True).stdout
        self.assertEqual(unpacked, text)

    def test_a_log_that_has_grown_is_pushed_again(self):
        text = self.write_log("app-1", "30 duration=20")
        lines = text.splitlines(keepends=True)
        (self.logs / "app-1").rename(self.folder / "whole")
        (self.logs / "app-1").write_bytes(b"".join(lines[: len(lines) // 2]))
        server = self.serve()
        self.push(server, "app-1")
        support.wait_until(lambda: json.loads(self.api(server, "")[1]), "the beginning of the log")

        def finished_tasks():
            return json.loads(self.api(server, "/app-1/stages")[1])[0]["numCompleteTasks"]

        self.assertLess(finished_tasks(), 30)
        (self.folder / "whole").rename(self.logs / "app-1")
        self.push(server, "app-1")
        support.wait_until(lambda: finished_tasks() == 30, "the end of the log")

    def test_an_application_in_a_watched_folder_and_pushed_is_listed_once(self):
        self.write_log("app-1", "3 duration=20")
        server = self.serve("--watch", self.logs)
        self.push(server, "app-1")
        server.wait_for(lambda rows: [row["tasks"] for row in rows] == [3], "the application")
        support.wait_until(lambda: json.loads(self.api(server, "")[1]), "the log")
        self.assertEqual([(row["id"], len(row["attempts"])) for row in json.loads(self.api(server, "")[1])], [("app-1", 1)])


@support.slow("a real client of the History Server is")
class RealClientTest(support.TestCase):
    def test_the_tools_of_an_mcp_server_for_the_history_server_answer(self):
        if not HISTORY_CLIENT.exists():
            self.skipTest("the client is not set up: run scripts/setup peers, with Python 3.12")
        logs = self.folder / "logs"
        logs.mkdir()
        for application in ("app-1", "app-2"):
            log = subprocess.run(
                [sys.executable, EVENT_LOG, "3 duration=2000 run=1990 records=10", "1 duration=9000", "1 status=failed reason=disk"],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            (logs / application).write_text(log.replace("app-1", application))
        fetch = serve(self, logs)
        fetch.wait_for(2)
        application, stage = {"app_id": "app-1"}, {"app_id": "app-1", "stage_id": 3}
        both = {"app_id1": "app-1", "app_id2": "app-2"}
        calls = [
            ("list_applications", {}),
            ("list_applications", {"status": ["COMPLETED"], "min_date": "2020-01-01", "limit": 1}),
            ("list_jobs", application),
            ("list_stages", {**application, "with_summaries": True}),
            ("get_stage", {**stage, "with_summaries": True}),
            ("list_stage_task_failures", stage),
            ("get_environment", application),
            ("list_executors", application),
            ("get_executor_summary", application),
            ("list_sql_executions", application),
            ("get_job_bottlenecks", application),
            ("get_resource_usage_timeline", application),
            ("compare_job_environments", both),
            ("compare_job_performance", both),
            ("compare_stages", {**both, "stage_id1": 3, "stage_id2": 3}),
        ]
        done = subprocess.run(
            [HISTORY_CLIENT, HERE / "history_client.py", fetch.server.url],
            input=json.dumps(calls),
            check=True,
            capture_output=True,
            text=True,
            timeout=support.DEADLINE,
        )
        answers = json.loads(done.stdout)
        for (tool, _), (worked, _, text) in zip(calls, answers):
            self.assertTrue(worked, f"{tool}: {text}")
        self.assertEqual({row["id"] for row in answers[0][1]}, {"app-1", "app-2"})
        self.assertEqual(len(answers[1][1]), 1)
        self.assertIn("disk", answers[5][2])


@support.slow("a History Server beside the collector is")
class HistoryServerTest(support.TestCase):
    def check(self, logs, not_listed_by_spark=frozenset()):
        placed = self.folder / "placed"
        placed.mkdir()
        history_comparison.place_logs(logs, placed)
        answers = self.folder / "answers"
        history_comparison.record(logs, answers)
        fetch = serve(self, placed)
        theirs = {row["id"] for row in json.loads(json.loads((answers / "lists.json").read_text())["/applications"][1])}
        fetch.wait_for(len(theirs | not_listed_by_spark))
        ours = {row["id"] for row in json.loads(fetch("/applications")[1])}
        self.assertEqual(ours, theirs | not_listed_by_spark)

        def fetch_theirs(path):
            """Without the applications that Spark does not list."""
            status, body = fetch(path)
            if status == 200 and path.partition("?")[0] == "/applications":
                body = json.dumps([row for row in json.loads(body) if row["id"] in theirs])
            return status, body

        found = [
            f"{path} {where}: Spark {str(spark)[:200]}, sparkprof {str(own)[:200]}"
            for path, where, spark, own in history_comparison.compare(answers, fetch_theirs)
        ]
        self.assertEqual(found, [], f"{len(found)} differences")

    def test_every_field_of_every_answer_equals_the_history_servers(self):
        if not SHARED_LOGS.is_dir():
            self.skipTest("no event logs of other projects in ../shared/data")
        self.check(SHARED_LOGS, NOT_LISTED_BY_SPARK)

    def test_event_logs_of_sparks_own_tests_are_answered_alike(self):
        self.check(self.spark_tests() / "spark-events")

    def test_the_golden_answers_of_sparks_history_server_suite(self):
        resources = self.spark_tests()
        fetch = serve(self, resources / "spark-events")
        fetch.wait_for(len(json.loads((resources / "HistoryServerExpectations" / "application_list_json_expectation.json").read_text())))
        for name, path in SUITE.items():
            with self.subTest(name):
                golden = (resources / "HistoryServerExpectations" / f"{name}_expectation.json").read_text()
                status, body = fetch("/" + path)
                self.assertEqual(status, 200, body)
                found = history_comparison.compare_answers((200, golden), (status, body))
                # The authors of the files sorted the members of some.
                self.assertEqual([row for row in found if not row[0].endswith("(order)")], [])

    def spark_tests(self):
        """The resources of Spark's own tests, which scripts/setup peers fetches."""
        if not SPARK_TESTS.exists():
            self.skipTest("Spark's test jar is not set up: run scripts/setup peers")
        with zipfile.ZipFile(SPARK_TESTS) as jar:
            jar.extractall(
                self.folder, [name for name in jar.namelist() if name.startswith(("spark-events/", "HistoryServerExpectations/"))]
            )
        return self.folder


if __name__ == "__main__":
    unittest.main()
