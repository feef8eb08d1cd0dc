# SPDX-License-Identifier: Apache-2.0
"""A real job against the real collector: visible while it runs, configured while it runs, and complete at its end although the
collector was killed meanwhile."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from collector import API, Collector
from support import DEADLINE, JOBS, SPARK_VERSIONS, SPARKPROF, Spark, sparkprof, wait_until


class ServeLiveTest(unittest.TestCase):
    def test_a_job_is_followed_configured_and_kept(self):
        with tempfile.TemporaryDirectory(prefix="sparkprof-e2e-") as temporary:
            folder = pathlib.Path(temporary)
            running = folder / "running"
            server = Collector(folder / "data")
            log = open(folder / "log", "w", encoding="utf-8")
            self.addCleanup(log.close)
            self.addCleanup(server.stop)
            port = server.url.rsplit(":", 1)[1]
            job = subprocess.Popen(
                [
                    SPARKPROF,
                    "run",
                    "--server",
                    server.url,
                    "--output-dir",
                    folder / "out",
                    "--",
                    "spark-submit",
                    "--master",
                    "local[2]",
                    "--conf",
                    "spark.sparkprof.label=live",
                    "--conf",
                    "spark.sparkprof.heapSummary.enabled=false",
                    JOBS / "until_stopped.py",
                    running,
                ],
                env=Spark(SPARK_VERSIONS[0]).environment(),
                stdout=log,
                stderr=log,
            )
            self.addCleanup(job.kill)
            server.wait_for(lambda rows: any(row["group"] == "live" and (row["tasks"] or 0) > 0 for row in rows), "tasks in the list")
            row = server.applications(group="live")[0]
            self.assertEqual((row["status"], row["endTime"]), ("running", None))
            report = f"{API}/applications/{row['id']}/report"
            first = server.request("GET", report).headers["ETag"]
            wait_until(lambda: server.request("GET", report).headers["ETag"] != first, "another state of the page")

            settings = {"cpu.interval": "50ms", "heapSummary.enabled": "true"}
            body = json.dumps({"configuration": settings}).encode()
            put = server.request("PUT", f"{API}/groups/live/configuration", body, {"Content-Type": "application/json", "If-Match": '"0"'})
            self.assertEqual(put.json(), {"version": 1, "configuration": settings})

            def notices():
                return [notice["text"] for notice in server.get(f"/applications/{row['id']}").json()["notices"]]

            wait_until(lambda: any("50ms" in text for text in notices()), "a notice of the new configuration")
            configured = next(
                notice["time"] for notice in server.get(f"/applications/{row['id']}").json()["notices"] if "50ms" in notice["text"]
            )
            recordings = folder / "data" / "recordings" / row["id"]
            wait_until(lambda: sparkprof("show", "heap", recordings, check=False).returncode == 0, "a heap summary")
            summaries = json.loads(sparkprof("show", "heap_summaries", recordings, "--json").stdout)
            self.assertGreater(summaries[0]["time"], configured - 1000)

            server.kill()
            server = Collector(folder / "data", port=port)
            self.addCleanup(server.stop)
            running.unlink()
            job.wait(timeout=DEADLINE)
            self.assertEqual(job.returncode, 0)
            server.wait_for(lambda rows: rows and rows[0]["status"] == "finished", "the end of the application")
            local = json.loads(
                subprocess.run([SPARKPROF, "info", "--json", folder / "out" / "recording.sprof"], check=True, capture_output=True).stdout
            )
            self.assertEqual(server.get(f"/applications/{row['id']}").json(), local)
            self.assertTrue(local["complete"])


if __name__ == "__main__":
    unittest.main()
