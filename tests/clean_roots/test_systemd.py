# SPDX-License-Identifier: Apache-2.0
"""The services of the Debian packages under a real systemd, which runs as the first process of a small Debian (scripts/setup system)."""

import json
import os
import pathlib
import shutil
import unittest
import urllib.request

from support import DEADLINE, execute, free_port, slow, wait_until
from test_packages import NEW, OLD, Packages

SERVICES = ("sparkprof.service", "sparkprof-monitor.service")
# Its own processes, mounts and control groups, and this machine's network, where the test reaches the collector. The kernel's
# settings stay as they are.
BOOT = """
set -e
cd "$0"
mount --bind . .
cd "$0"
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t tmpfs tmpfs run
mount --rbind /dev dev
mount -t tmpfs tmpfs sys
mkdir -p sys/fs/cgroup
mount -t tmpfs tmpfs sys/fs/cgroup
mkdir sys/fs/cgroup/systemd
mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
exec chroot . env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=basic.target
"""
NAMESPACES = ("unshare", "--pid", "--kill-child", "--fork", "--mount", "--uts", "--ipc", "--cgroup")


@slow("systemd is")
@unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare") and shutil.which("nsenter"), "needs root, unshare and nsenter")
class SystemdTest(Packages):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        boot = self.start(*NAMESPACES, "bash", "-c", BOOT, self.root)
        children = pathlib.Path(f"/proc/{boot.pid}/task/{boot.pid}/children")
        try:
            self.first = wait_until(lambda: children.read_text().split(), "systemd to start")[0]
            wait_until(lambda: boot.poll() is not None or self.state("basic.target") == "active", "systemd to be ready")
        except FileNotFoundError:
            boot.wait(DEADLINE)
        if boot.poll() is not None:
            self.skipTest(f"systemd does not run here: {self.printed('stdout')[-300:]}{self.printed()[-300:]}")

    def in_root(self, *command):
        return execute(*self.entered(*command)).stdout

    def entered(self, *command):
        return ["nsenter", "-t", self.first, "-a", "-r", "-w", *command]

    def state(self, unit):
        return execute(*self.entered("systemctl", "is-active", unit), code=None).stdout.strip()

    def main_process(self, unit):
        return self.in_root("systemctl", "show", "--value", "-p", "MainPID", unit).strip()

    def journal(self):
        return self.in_root("journalctl", "--no-pager", "-u", "sparkprof*")

    def nodes(self):
        """The nodes of the last hour in the collector's catalogue."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/sparkprof/v1/nodes", timeout=DEADLINE) as answer:
                return json.load(answer)["nodes"]
        except OSError:
            return []

    def test_services_start_restart_upgrade_and_stop(self):
        self.dpkg("-i", *self.make("debian", OLD))
        self.assertEqual([self.state(unit) for unit in SERVICES], ["inactive"] * 2, "packages start nothing by themselves")
        for name in ("collector", "monitor"):
            options = self.root / "etc" / "sparkprof" / f"{name}.conf"
            options.write_text(options.read_text().replace("8320", str(self.port)))
        self.in_root("systemd-analyze", "verify", *SERVICES)
        self.in_root("systemctl", "enable", "--now", *SERVICES)
        # So the monitor may read processes, and the collector may load DuckDB, under the restrictions of their units.
        wait_until(self.nodes, "the node in the collector's catalogue")

        killed = self.main_process(SERVICES[0])
        self.in_root("systemctl", "kill", "-s", "KILL", SERVICES[0])
        wait_until(lambda: self.main_process(SERVICES[0]) not in ("0", killed), "the collector to run again")
        wait_until(self.nodes, "the node after a kill")

        before = [self.main_process(unit) for unit in SERVICES]
        self.dpkg("-i", *self.make("debian", NEW))
        self.assertEqual([self.state(unit) for unit in SERVICES], ["active"] * 2)
        after = [self.main_process(unit) for unit in SERVICES]
        self.assertFalse(set(before) & set(after), "an upgrade restarts what runs")
        wait_until(self.nodes, "the node after an upgrade")

        self.dpkg("-P", "sparkprof-collector", "sparkprof")
        self.assertEqual([self.state(unit) for unit in SERVICES], ["inactive"] * 2, self.journal())
