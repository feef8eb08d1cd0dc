# SPDX-License-Identifier: Apache-2.0
"""A real job against the real collector: visible while it runs, configured while it runs, and complete at its end although the
collector was killed meanwhile."""

from collector import API, JSON, Collector
from spark_jobs import Profile, Spark, profiled, submit
from support import TestCase, json_of, sparkprof, wait_until


class ServeLiveTest(TestCase):
    def test_a_job_is_followed_configured_and_kept(self):
        running = self.folder / "running"
        data = self.folder / "data"
        server = Collector(data)
        self.addCleanup(server.stop)
        conf = {"spark.sparkprof.label": "live", "spark.sparkprof.heapSummary.enabled": "false"}
        command = profiled(self.folder / "out", submit("until_stopped.py", running, conf=conf), ["--server", server.url])
        job = self.start(*command, env=Spark().environment())
        server.wait_for(lambda rows: any(row["group"] == "live" and (row["tasks"] or 0) > 0 for row in rows), "tasks in the list")
        row = server.applications(group="live")[0]
        self.assertEqual((row["status"], row["endTime"]), ("running", None))
        report = f"{API}/applications/{row['id']}/report"
        first = server.request("GET", report).headers["ETag"]
        wait_until(lambda: server.request("GET", report).headers["ETag"] != first, "another state of the page")

        settings = {"cpu.interval": "50ms", "heapSummary.enabled": "true"}
        put = server.request("PUT", f"{API}/groups/live/configuration", {"configuration": settings}, JSON | {"If-Match": '"0"'})
        self.assertEqual(put.json(), {"version": 1, "configuration": settings})

        def notices():
            return server.get(f"/applications/{row['id']}").json()["notices"]

        wait_until(lambda: any("50ms" in notice["text"] for notice in notices()), "a notice of the new configuration")
        configured = next(notice["time"] for notice in notices() if "50ms" in notice["text"])
        recordings = data / "recordings" / row["id"]
        wait_until(lambda: sparkprof("show", "heap", recordings, code=None).returncode == 0, "a heap summary")
        summaries = json_of("show", "heap_summaries", recordings)
        self.assertGreater(summaries[0]["time"], configured - 1000)

        server.kill()
        server = Collector(data, port=server.port)
        self.addCleanup(server.stop)
        running.unlink()
        self.finish(job)
        server.wait_for(lambda rows: rows and rows[0]["status"] == "finished", "the end of the application")
        local = Profile(self.folder / "out").info()
        self.assertEqual(server.get(f"/applications/{row['id']}").json(), local)
        self.assertTrue(local["complete"])
