# SPDX-License-Identifier: Apache-2.0
"""Watched folders with event logs and recordings, on a disk, S3 and HDFS."""

import gzip
import os
import pathlib
import unittest
from unittest import mock

from collector import Collector
from hadoop_cluster import HadoopCluster
from seaweed import Seaweed
from small_logs import event_log
from support import SHARED_LOGS, TestCase, json_of, slow, wait_until


class WatchTest(TestCase):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.logs = self.folder / "logs"
        self.logs.mkdir()

    def test_event_logs_are_listed_followed_and_loaded(self):
        whole = event_log("app-1")
        half = whole[: whole.rindex(b"\n", 0, len(whole) // 2) + 1]
        (self.logs / "app-0.gz").write_bytes(gzip.compress(event_log("app-0")))
        (self.logs / "app-1.inprogress").write_bytes(half)
        rolled = self.logs / "eventlog_v2_app-2"
        rolled.mkdir()
        (rolled / "appstatus_app-2").touch()
        (rolled / "events_1_app-2").write_bytes(event_log("app-2", options=())[:-1].rsplit(b"\n", 2)[0] + b"\n")
        (rolled / "events_2_app-2").write_bytes(whole.splitlines(keepends=True)[-1])
        (self.logs / "notes.txt").write_text("no event log")
        (self.logs / "link").symlink_to("/etc/passwd")
        with Collector(self.data, "--watch", self.logs) as server:
            expected = {"app-0": "finished", "app-1": "running", "app-2": "finished"}
            wait_until(lambda: server.statuses() == expected, "three applications")
            state = server.folder()
            self.assertEqual((state["status"], state["eventLogs"], state["unreadable"], state["notListed"]), ("ok", 3, 0, 1), state)
            row = next(row for row in server.applications() if row["id"] == "app-0")
            self.assertEqual([row[total] for total in ("tasks", "cpuSeconds", "findings", "totals")], [None, None, None, "unknown"])
            found = [row[value] for value in ("name", "user", "startTime", "endTime")]
            self.assertEqual(found, ["job app-0", "ada", 1700000000000, 1700000009000])
            self.assertEqual(server.get("/applications/app-0").json()["counts"]["tasks"], 3)
            flame = server.get("/applications/app-0/flame")
            self.assertEqual(flame.status, 404)
            self.assertIn("no samples", flame.json()["error"]["message"])
            server.wait_for(
                lambda rows: [(row["tasks"], row["totals"]) for row in rows if row["id"] == "app-0"] == [(3, "complete")],
                "the complete entry of a loaded application",
            )
            (self.logs / "app-1.inprogress").write_bytes(whole)
            (self.logs / "app-1.inprogress").rename(self.logs / "app-1")
            wait_until(lambda: server.statuses().get("app-1") == "finished", "the end of an application that was followed")
            self.assertEqual(server.get("/applications/app-1").json()["counts"]["tasks"], 3)
            (self.logs / "app-0.gz").unlink()
            wait_until(lambda: set(server.statuses()) == {"app-1", "app-2"}, "a deleted log's application to leave the list")
        (self.logs / "app-1").unlink()
        with Collector(self.data, "--watch", self.logs) as server:
            wait_until(lambda: set(server.statuses()) == {"app-2"}, "what was deleted while the server was down to leave the list")

    def test_each_log_of_a_folder_is_an_application_however_the_files_are_called(self):
        """Names that begin as those of Databricks' and Spark's rolled logs do, and the real ones beside them."""
        single = "eventlog-gpu-dsv1.zstd eventlog-gpu-dsv2.zstd eventlog-1 eventlog-2021-06-15 eventlog_2 EVENT_LOG_gpu events_gpu_1"
        single += " attempt_1_eventlog events_1_run events_2_run databricks/eventlog-2021-06-15--18-00"
        single = single.split()
        for number, name in enumerate(single):
            path = self.logs / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(event_log(f"app-{number}", groups=(f"{number + 1} duration=1000",)))
        whole = event_log("app-rolled", groups=("4 duration=1000",)).splitlines(keepends=True)
        (self.logs / "databricks/eventlog-2021-06-15--15-00.gz").write_bytes(gzip.compress(b"".join(whole[:6])))
        (self.logs / "databricks/eventlog-2021-06-15--16-00").write_bytes(b"".join(whole[6:]))
        tasks = {f"app-{number}": number + 1 for number in range(len(single))} | {"app-rolled": 4}
        with Collector(self.data, "--watch", self.logs) as server:
            wait_until(lambda: set(server.statuses()) == set(tasks), "all applications")
            for application, count in tasks.items():
                self.assertEqual(server.get(f"/applications/{application}").json()["counts"]["tasks"], count, application)
                stages = server.spark(f"/{application}/stages").json()
                self.assertEqual(sum(stage["numTasks"] for stage in stages), count, application)
            self.assertEqual(server.folder()["duplicates"], 0)
        analyzed = json_of("analyze", self.logs, "--no-report")
        self.assertEqual({one["id"]: one["summary"]["counts"]["tasks"] for one in analyzed["applications"]}, tasks)

    def test_a_copy_of_a_log_is_one_application_and_named(self):
        whole = event_log("app-1")
        (self.logs / "app-1").write_bytes(whole)
        (self.logs / "app-1.inprogress").write_bytes(whole[: whole.rindex(b"\n", 0, len(whole) // 2) + 1])
        (self.logs / "copy").write_bytes(whole[:-1])
        with Collector(self.data, "--watch", self.logs) as server:
            wait_until(lambda: server.statuses() == {"app-1": "finished"}, "one application")
            state = server.folder()
            self.assertEqual((state["eventLogs"], state["duplicates"]), (3, 2), state)
            named = f"{self.logs}/{{}}: not read: {self.logs}/app-1 has the same application and attempt"
            self.assertEqual(state["examples"], [named.format("app-1.inprogress"), named.format("copy")])
            self.assertEqual(server.get("/applications/app-1").json()["counts"]["tasks"], 3)
            (self.logs / "copy").unlink()
            (self.logs / "app-1.inprogress").unlink()
            wait_until(lambda: server.folder()["duplicates"] == 0, "the copies to be gone")
        (self.logs / "copy").write_bytes(whole)
        analyzed = json_of("analyze", self.logs, "--no-report")
        self.assertEqual([one["id"] for one in analyzed["applications"]], ["app-1"])
        used = {pathlib.Path(one["path"]).name: (one["used"], one["application"]) for one in analyzed["inputs"]}
        self.assertEqual(used, {"app-1": (True, "app-1"), "copy": (False, "app-1")})

    @unittest.skipUnless(SHARED_LOGS.is_dir(), "needs the event logs of other projects")
    def test_every_event_log_of_other_projects_is_listed_and_answered(self):
        with Collector(self.data, "--watch", SHARED_LOGS) as server:
            analyzed = json_of("analyze", SHARED_LOGS, "--no-report")
            listed = {one["id"] for one in analyzed["applications"]}
            wait_until(lambda: set(server.statuses()) == listed, "all applications")
            for application in listed:
                self.assertEqual(server.get(f"/applications/{application}").json()["applications"][0]["id"], application)

    def test_a_folder_that_is_away_keeps_its_applications_and_stalls_no_other(self):
        (self.logs / "app-1").write_bytes(event_log("app-1"))
        other = self.folder / "other"
        away = self.folder / "away"
        with Collector(self.data, "--watch", self.logs, "--watch", other) as server:
            wait_until(lambda: server.statuses() == {"app-1": "finished"}, "the application of the folder that is there")
            self.logs.rename(away)
            wait_until(lambda: server.folder()["status"] == "unreachable", "the state of the folder")
            self.assertIn("cannot list", server.folder()["problem"])
            other.mkdir()
            (other / "app-2").write_bytes(event_log("app-2"))
            wait_until(lambda: set(server.statuses()) == {"app-1", "app-2"}, "both applications")
            away.rename(self.logs)
            wait_until(lambda: server.folder()["status"] == "ok", "the folder to be back")
            self.assertEqual(server.get("/applications/app-1").status, 200)

    @slow("a real S3 server is")
    def test_logs_on_s3_are_read_in_place_and_outlast_the_server_of_s3(self):
        with Seaweed(self.folder / "seaweed") as s3, mock.patch.dict(os.environ, s3.environment):
            s3.put("bucket/spark/app-1", event_log("app-1"))
            s3.put("bucket/spark/a b+c%20/app-2.gz", gzip.compress(event_log("app-2")))
            s3.put("bucket/sparkling/app-3", event_log("app-3"))
            with Collector(self.data, "--watch", "s3a://bucket/spark/") as server:
                wait_until(lambda: set(server.statuses()) == {"app-1", "app-2"}, "the logs below the prefix")
                self.assertEqual(server.get("/applications/app-2").json()["counts"]["tasks"], 3)
                s3.stop()
                wait_until(lambda: server.folder()["status"] == "unreachable", "the state of the folder")
                self.assertEqual(set(server.statuses()), {"app-1", "app-2"})
                self.assertEqual(server.get("/applications/app-2").status, 200)
                answer = server.get("/applications/app-1")
                self.assertEqual(answer.status, 503)
                self.assertIn("cannot be fetched", answer.json()["error"]["message"])
            s3.start()
            with (
                mock.patch.dict(os.environ, {"AWS_SECRET_ACCESS_KEY": "wrong"}),
                Collector(self.data, "--watch", "s3a://bucket/spark/") as server,
            ):
                wait_until(lambda: "SignatureDoesNotMatch" in server.folder()["problem"], "the refused signature")
                self.assertEqual(set(server.statuses()), {"app-1", "app-2"})

    @slow("a real S3 server is")
    def test_a_bucket_with_many_objects_is_listed_whole_and_copies_are_dropped_beyond_their_limit(self):
        with Seaweed(self.folder / "seaweed") as s3, mock.patch.dict(os.environ, s3.environment):
            for number in range(1100):  # more than a page of S3's list
                s3.put(f"bucket/spark/a-{number:04}", b"x")
            logs = {f"app-{name}": event_log(f"app-{name}") for name in "yz"}
            for application, log in logs.items():
                s3.put(f"bucket/spark/{application}", log)
            limit = max(map(len, logs.values())) + 100
            with Collector(self.data, "--watch", "s3a://bucket/spark/", "--fetch-cache", limit) as server:
                wait_until(lambda: set(server.statuses()) == set(logs), "the logs behind the first page")
                self.assertEqual(server.folder()["files"], 1102)
                for application in logs:
                    self.assertEqual(server.get(f"/applications/{application}").json()["counts"]["tasks"], 3)
                self.assertLessEqual(sum(path.stat().st_size for path in (self.data / "fetched").rglob("*") if path.is_file()), limit)
                # Fetched again.
                self.assertEqual(server.spark("/app-y/jobs").status, 200)

    @slow("a real HDFS is")
    def test_logs_on_hdfs_are_read_in_place(self):
        (self.logs / "app-1").write_bytes(event_log("app-1"))
        cluster = HadoopCluster(self.folder / "hadoop")
        self.addCleanup(cluster.close)
        cluster.file_system("-mkdir", "-p", "/logs/a b")
        cluster.file_system("-put", self.logs / "app-1", "/logs/a b/app-1")
        with Collector(self.data, "--watch", cluster.webhdfs + "/logs") as server:
            wait_until(lambda: server.statuses() == {"app-1": "finished"}, "the application on HDFS")
            self.assertEqual(server.get("/applications/app-1").json()["counts"]["tasks"], 3)
            cluster.file_system("-rm", "-skipTrash", "/logs/a b/app-1")
            wait_until(lambda: not server.applications(), "the deleted log's application to leave the list")
