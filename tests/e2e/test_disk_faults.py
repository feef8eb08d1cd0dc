# SPDX-License-Identifier: Apache-2.0
"""A collector whose disk fails: it reports the failure, refuses data that it cannot keep, and goes on by itself when the disk is back."""

import os
import shutil

from collector import Collector, pushed
from small_logs import event_log
from support import TestCase, execute, slow, wait_until


class DiskFaultsTest(TestCase):
    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        self.data = self.disk / "data"

    def mount(self):
        """A small disk of its own."""
        if os.geteuid() != 0:
            self.skipTest("mounting a disk needs root")
        if execute("mount", "-t", "tmpfs", "-o", "size=600m", "tmpfs", self.disk, code=None).returncode != 0:
            self.skipTest("tmpfs cannot be mounted here")
        self.addCleanup(execute, "umount", "-l", self.disk, code=None)

    def recording(self, application):
        """The blocks that a push of this application's event log sends."""
        (self.folder / application).write_bytes(event_log(application))
        return pushed(self.folder / f"made-{application}", self.folder / application)

    def health(self, server):
        answer = server.health()
        return answer.status, " ".join(answer.json()["problems"])

    def assert_serves(self, server, *applications):
        for application in applications:
            self.assertEqual(server.get(f"/applications/{application}").json()["counts"]["tasks"], 3)
        server.wait_for_ids(*applications)
        wait_until(lambda: self.health(server) == (200, ""), "a healthy server")

    def test_a_disk_that_becomes_read_only_loses_nothing_and_recovers(self):
        before, after = self.recording("app-before"), self.recording("app-after")
        self.mount()
        with Collector(self.data) as server:
            self.assertEqual(server.post(before).status, 200)
            self.assert_serves(server, "app-before")
            # Files that are open for writing would keep the disk from becoming read-only: as an error of the device does it.
            execute("mount", "--bind", self.disk, self.disk)
            self.addCleanup(execute, "umount", "-l", self.disk, code=None)
            execute("mount", "-o", "remount,bind,ro", self.disk)
            refused = server.post(after)
            self.assertEqual(refused.status, 503)
            self.assertTrue(refused.headers["Retry-After"])
            self.assertIn("Read-only file system", refused.json()["error"]["message"])
            status, problems = self.health(server)
            self.assertEqual(status, 503)
            self.assertIn("Read-only file system", problems)
            self.assertEqual(server.get("/applications/app-before").json()["counts"]["tasks"], 3)
            execute("mount", "-o", "remount,bind,rw", self.disk)
            self.assertEqual(server.post(after).status, 200)
            self.assert_serves(server, "app-before", "app-after")

    @slow("the growing catalogue is")
    def test_a_disk_that_fills_while_the_catalogue_grows_recovers(self):
        recordings = {f"app-{number}": self.recording(f"app-{number}") for number in range(6)}
        self.mount()
        with Collector(self.data) as server:
            stored = {"app-0"}
            self.assertEqual(server.post(recordings["app-0"]).status, 200)
            self.assert_serves(server, *stored)
            for application, recording in list(recordings.items())[1:]:
                # Room for the recording, not for what the catalogue writes about it.
                self.fill(spare=len(recording) + (4 << 10))
                if server.post(recording).status == 200:
                    stored.add(application)
                wait_until(lambda: self.health(server)[0] == 503, "a problem that /healthz shows")
                (self.disk / "filler").unlink()
                self.assertEqual(server.post(recording).status, 200)
                stored.add(application)
                self.assert_serves(server, *stored)

    def fill(self, spare):
        space = os.statvfs(self.disk)
        with open(self.disk / "filler", "wb") as stream:
            os.posix_fallocate(stream.fileno(), 0, space.f_bavail * space.f_frsize - spare)

    def test_a_deleted_data_folder_is_named_and_nothing_is_acknowledged(self):
        recording = self.recording("app-1")
        with Collector(self.data) as server:
            self.assertEqual(server.post(recording).status, 200)
            self.assert_serves(server, "app-1")
            shutil.rmtree(self.data)
            refused = server.post(self.recording("app-2"))
            self.assertEqual(refused.status, 503)
            self.assertIn("deleted", refused.json()["error"]["message"])
            self.assertFalse(self.data.exists())
            status, problems = self.health(server)
            self.assertEqual(status, 503)
            self.assertIn(f"{self.data}: the folder was deleted", problems)
        # A new server begins anew; clients have what was not acknowledged.
        with Collector(self.data) as server:
            self.assertEqual(server.post(recording).status, 200)
            self.assert_serves(server, "app-1")

    def test_a_data_folder_that_comes_back_is_used_on(self):
        first, second = self.recording("app-1"), self.recording("app-2")
        with Collector(self.data) as server:
            self.assertEqual(server.post(first).status, 200)
            self.assert_serves(server, "app-1")
            self.data.rename(self.disk / "away")
            self.assertEqual(server.post(second).status, 503)
            (self.disk / "away").rename(self.data)
            self.assertEqual(server.post(second).status, 200)
            self.assert_serves(server, "app-1", "app-2")

    def test_senders_with_wrong_clocks_are_listed_with_their_own_times(self):
        # Times of events: 1970, 2023 and the year 2200.
        times = {"app-past": b"86400", "app-now": b"1700000000", "app-future": b"7258118400"}
        with Collector(self.data) as server:
            for application, seconds in times.items():
                first_digits = seconds[:-2] if application != "app-past" else b"864"
                (self.folder / application).write_bytes(event_log(application).replace(b"17000000", first_digits))
                server.push(self.folder / application)
            self.assert_serves(server, *times)
            self.assertEqual([row["id"] for row in server.applications(sort="startTime")], ["app-past", "app-now", "app-future"])
            for application in times:
                self.assertEqual(server.get(f"/groups/job%20{application}/findings").status, 200)
            self.assertEqual(set(server.statuses().values()), {"finished"})
