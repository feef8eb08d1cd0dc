# SPDX-License-Identifier: Apache-2.0
"""Spark's REST API on `sparkprof serve --watch`: as a real History Server answers, and over HTTP for small logs made here."""

import io
import json
import pathlib
import zipfile

from collector import Collector
from history_comparison import compare, compare_answers, place_logs, record
from small_logs import made_log
from support import PEERS, SHARED_LOGS, TestCase, execute, slow, sparkprof, wait_until

# Spark's History Server stops at a malformed line and leaves the application out; sparkprof skips the line.
NOT_LISTED_BY_SPARK = {"application_1603128018386_7759"}
SPARK_TESTS = PEERS / "spark-core_2.13-4.1.1-tests.jar"
HERE = pathlib.Path(__file__).parent
HISTORY_CLIENT = PEERS / "history-client" / "bin" / "python"
SLOW_AND_FAILED = ("3 duration=2000 run=1990 records=10", "1 duration=9000", "1 status=failed reason=disk")

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


class SparkApi:
    """Spark's REST API at a collector."""

    def __init__(self, server):
        self.server = server

    def __call__(self, path):
        answer = self.server.request("GET", "/api/v1" + path)
        return answer.status, answer.body.decode(errors="replace")

    def read(self, path="/applications"):
        return json.loads(self(path)[1])

    def wait_for(self, applications=1):
        wait_until(lambda: len(self.read()) >= applications, f"{applications} event logs are listed")

    def archive(self, application):
        """{name: content} of the download of its event log."""
        with zipfile.ZipFile(io.BytesIO(self.server.spark(f"/{application}/logs").body)) as files:
            return {name: files.read(name) for name in files.namelist()}


class HistoryTestCase(TestCase):
    def setUp(self):
        super().setUp()
        self.logs = self.folder / "logs"
        self.logs.mkdir()

    def write_log(self, name, *groups):
        text = made_log(*groups, application=name)
        (self.logs / name).write_bytes(text)
        return text

    def serve(self, *options, data="data"):
        return SparkApi(self.enter(Collector(self.folder / data, *options)))

    def push(self, api, *names):
        api.server.push(*(self.logs / name for name in names))


class SmallLogTest(HistoryTestCase):
    def test_a_watched_event_log_is_served_as_by_the_history_server(self):
        text = self.write_log("app-1", *SLOW_AND_FAILED)
        api = self.serve("--watch", self.logs)
        api.wait_for()
        self.assertEqual(api.read("/version"), {"spark": "4.1.1"})
        listed = api.read()
        self.assertEqual([application["id"] for application in listed], ["app-1"])
        self.assertEqual(api.read("/applications/app-1"), listed[0])
        stage = api.read("/applications/app-1/stages?details=true&withSummaries=true")[0]
        self.assertEqual((stage["stageId"], stage["numTasks"], stage["numFailedTasks"]), (3, 5, 1))
        self.assertEqual(len(stage["tasks"]), 5)
        self.assertEqual(stage["taskMetricsDistributions"]["executorRunTime"][0], 1990.0)
        slowest = api.read("/applications/app-1/stages/3/0/taskList?sortBy=-runtime&length=1")
        self.assertEqual(slowest[0]["taskMetrics"]["executorRunTime"], 9000)
        self.assertEqual(api("/applications/nobody"), (404, "unknown app: nobody"))
        self.assertEqual(api("/applications/nobody/jobs"), (404, "no such app: nobody"))
        self.assertEqual(api("/applications/app-1/stages/3/0/taskSummary?quantiles=x")[0], 400)
        self.assertEqual(api.archive("app-1"), {"app-1": text})


class PushedLogTest(HistoryTestCase):
    """Event logs that `sparkprof push` has sent are answered as those in a watched folder."""

    PATHS = (
        *("/jobs", "/jobs?status=failed", "/stages?details=true&withSummaries=true", "/stages/3/0/taskList?length=1000"),
        *("/stages/3/0/taskSummary", "/allexecutors", "/environment", "/sql", "/storage/rdd"),
    )

    def without_times_of_files(self, applications):
        """A recording has no time of the log's last change."""
        for application in applications:
            for attempt in application["attempts"]:
                del attempt["lastUpdated"], attempt["lastUpdatedEpoch"]
        return applications

    def test_every_answer_is_that_of_the_log_itself(self):
        names = ("app-long", "app-failed")
        self.write_log("app-long", "5000 duration=20 records=7", "3 duration=90 status=failed", "2 status=killed")
        self.write_log("app-failed", "failed", "4 duration=1000 status=failed reason=disk")
        watched, api = self.serve("--watch", self.logs, data="watching"), self.serve()
        self.push(api, *names)
        watched.wait_for(2)
        api.wait_for(2)
        self.assertEqual(self.without_times_of_files(api.read()), self.without_times_of_files(watched.read()))
        for name in names:
            of_one = [self.without_times_of_files([one.read(f"/applications/{name}")]) for one in (watched, api)]
            self.assertEqual(*of_one)
            for path in self.PATHS:
                with self.subTest(name + path):
                    self.assertEqual(api(f"/applications/{name}{path}"), watched(f"/applications/{name}{path}"))
        self.assertEqual(api("/applications/app-long/1/jobs"), (404, "no such app: app-long/1"))
        self.assertEqual(api("/applications/app-other/jobs"), (404, "no such app: app-other"))

    def test_it_outlasts_restarts_compaction_and_a_new_catalogue(self):
        text = self.write_log("app-1", "30 duration=20 records=7")
        api = self.serve()
        self.push(api, "app-1")
        api.wait_for()
        expected = api("/applications/app-1/stages?details=true")
        self.assertEqual(expected[0], 200)
        api.server.stop()
        for action in ("compact", "rebuild", "verify"):
            done = sparkprof("collector", action, "--data", self.folder / "data")
        self.assertEqual(done.stdout, "no problems found\n")
        api = self.serve()
        self.assertEqual(api("/applications/app-1/stages?details=true"), expected)
        [(name, packed)] = api.archive("app-1").items()
        self.assertEqual(name, "app-1.zstd")
        self.assertEqual(execute("zstd", "-dc", input=packed, text=False).stdout, text)

    def test_a_log_that_has_grown_is_pushed_again(self):
        text = self.write_log("app-1", "30 duration=20")
        lines = text.splitlines(keepends=True)
        (self.logs / "app-1").write_bytes(b"".join(lines[: len(lines) // 2]))
        api = self.serve()
        self.push(api, "app-1")
        api.wait_for()

        def finished_tasks():
            return api.read("/applications/app-1/stages")[0]["numCompleteTasks"]

        self.assertLess(finished_tasks(), 30)
        (self.logs / "app-1").write_bytes(text)
        self.push(api, "app-1")
        wait_until(lambda: finished_tasks() == 30, "the end of the log")

    def test_an_application_in_a_watched_folder_and_pushed_is_listed_once(self):
        self.write_log("app-1", "3 duration=20")
        api = self.serve("--watch", self.logs)
        self.push(api, "app-1")
        api.server.wait_for(lambda rows: [row["tasks"] for row in rows] == [3], "the application")
        api.wait_for()
        self.assertEqual([(row["id"], len(row["attempts"])) for row in api.read()], [("app-1", 1)])


@slow("a real client of the History Server is")
class RealClientTest(HistoryTestCase):
    def test_the_tools_of_an_mcp_server_for_the_history_server_answer(self):
        if not HISTORY_CLIENT.exists():
            self.skipTest("the client is not set up: run scripts/setup peers, with Python 3.12")
        for application in ("app-1", "app-2"):
            self.write_log(application, *SLOW_AND_FAILED)
        api = self.serve("--watch", self.logs)
        api.wait_for(2)
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
        done = execute(HISTORY_CLIENT, HERE / "history_client.py", api.server.url, input=json.dumps(calls))
        answers = json.loads(done.stdout)
        for (tool, _), (worked, _, text) in zip(calls, answers):
            self.assertTrue(worked, f"{tool}: {text}")
        self.assertEqual({row["id"] for row in answers[0][1]}, {"app-1", "app-2"})
        self.assertEqual(len(answers[1][1]), 1)
        self.assertIn("disk", answers[5][2])


@slow("a History Server beside the collector is")
class HistoryServerTest(HistoryTestCase):
    def check(self, logs, not_listed_by_spark=frozenset()):
        place_logs(logs, self.logs)
        answers = self.folder / "answers"
        record(logs, answers)
        api = self.serve("--watch", self.logs)
        theirs = {row["id"] for row in json.loads(json.loads((answers / "lists.json").read_text())["/applications"][1])}
        api.wait_for(len(theirs | not_listed_by_spark))
        ours = {row["id"] for row in api.read()}
        self.assertEqual(ours, theirs | not_listed_by_spark)

        def fetch_theirs(path):
            """Without the applications that Spark does not list."""
            status, body = api(path)
            if status == 200 and path.partition("?")[0] == "/applications":
                body = json.dumps([row for row in json.loads(body) if row["id"] in theirs])
            return status, body

        found = [
            f"{path} {where}: Spark {str(spark)[:200]}, sparkprof {str(own)[:200]}"
            for path, where, spark, own in compare(answers, fetch_theirs)
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
        api = self.serve("--watch", resources / "spark-events")
        api.wait_for(len(json.loads((resources / "HistoryServerExpectations" / "application_list_json_expectation.json").read_text())))
        for name, path in SUITE.items():
            with self.subTest(name):
                golden = (resources / "HistoryServerExpectations" / f"{name}_expectation.json").read_text()
                status, body = api("/" + path)
                self.assertEqual(status, 200, body)
                found = compare_answers((200, golden), (status, body))
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
