# SPDX-License-Identifier: Apache-2.0
"""sparkprof attach and ps on real JVMs: programs of known shares, other users, namespaces, JVMs that refuse."""

import contextlib
import glob
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from proc import cpu_seconds
from spark_jobs import java_homes
from support import (
    AS_NOBODY,
    DEADLINE,
    PLUGIN_JAR,
    REPOSITORY,
    SPARKPROF,
    TestCase,
    execute,
    json_of,
    program_for_all,
    slow,
    sparkprof,
    stacks_of,
    wait_until,
    weight_of,
)

PROGRAMS = REPOSITORY / "tests" / "jvm"

JAVA_HOMES = java_homes("/usr/lib/jvm/*", os.environ.get("JAVA_HOME", ""))


def collapsed(path):
    return stacks_of(path.read_text())


def share(stacks, frame, of):
    """Weight of stacks with `frame` as part of the weight of stacks with `of` (or with one of them)."""
    return weight_of(stacks, frame) / sum(weight for stack, weight in stacks.items() if any(other in stack for other in of))


class AttachTest(TestCase):
    @classmethod
    def setUpClass(cls):
        if not JAVA_HOMES:
            raise unittest.SkipTest("no JDK in /usr/lib/jvm or JAVA_HOME")
        # Every user may read it; TMPDIR may be one user's own.
        cls.classes = pathlib.Path(tempfile.mkdtemp(prefix="sparkprof-test-", dir="/tmp"))
        cls.classes.chmod(0o755)
        oldest = JAVA_HOMES[min(JAVA_HOMES)]
        execute(f"{oldest}/bin/javac", "-d", cls.classes, *sorted(PROGRAMS.glob("*.java")))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.classes)

    def setUp(self):
        super().setUp()
        self.there_before = self.attach_folders()

    @contextlib.contextmanager
    def jvm(self, program, *options, major=17, around=()):
        """Starts a program; its pid in our namespace once it has said that it is ready."""
        java = JAVA_HOMES.get(major)
        if java is None:
            self.skipTest(f"no JDK {major} in /usr/lib/jvm or JAVA_HOME")
        process = subprocess.Popen(
            [*around, f"{java}/bin/java", "-Xmx128m", *options, "-cp", str(self.classes), program], stdout=subprocess.PIPE, text=True
        )
        try:
            self.assertEqual(process.stdout.readline(), "ready\n")
            yield self.java_below(process.pid)
        finally:
            for pid in [self.java_below(process.pid), process.pid]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()

    @staticmethod
    def java_below(pid):
        """The process itself, or the java that `unshare --fork` started for it."""
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
        for child in children.read_text().split() if children.exists() else []:
            return AttachTest.java_below(int(child))
        return pid

    def attach(self, pid, *options, name="out.collapsed", seconds=3):
        output = self.folder / name
        sparkprof("attach", pid, "--duration", seconds, "-o", output, *options)
        return output

    @staticmethod
    def attach_folders(root="/"):
        """Names, which are the same in every root that shares the host's /tmp."""
        return {path.name for path in pathlib.Path(root, "tmp").glob("sparkprof-attach-*")}

    def assert_nothing_is_left(self, root="/"):
        self.assertEqual(self.attach_folders(root) - self.there_before, set())

    def assert_burns(self, stacks):
        """More than five standard deviations from 400 samples on."""
        both = ["Burn.large", "Burn.small"]
        self.assertAlmostEqual(share(stacks, "Burn.large", both), 0.75, delta=0.12)

    def burning(self, pid, *options):
        """Stacks of 4 s of the program's CPU time, which take longer on a busy machine: samples are as many there."""
        begin, enough = time.monotonic(), cpu_seconds(pid) + 0.5
        wait_until(lambda: cpu_seconds(pid) > enough, "the program to burn CPU")
        seconds = min(60, math.ceil(4 * max(1, (time.monotonic() - begin) / 0.5)))
        return collapsed(self.attach(pid, "--interval", "1ms", *options, seconds=seconds))

    def test_cpu_time_is_where_a_program_burns_it(self):
        for major in (17, 25):
            with self.subTest(java=major), self.jvm("Burn", major=major) as pid:
                self.assert_burns(self.burning(pid))
                self.assert_nothing_is_left()

    @slow("the comparison of timers is")
    def test_timers_and_the_wall_clock_see_the_same(self):
        with self.jvm("Burn") as pid:
            for event in ("itimer", "ctimer", "wall"):
                with self.subTest(event=event):
                    self.assert_burns(self.burning(pid, "--event", event))

    def test_allocated_bytes_are_where_a_program_allocates_them(self):
        with self.jvm("Allocate") as pid:
            stacks = collapsed(self.attach(pid, "--event", "alloc"))
            self.assertAlmostEqual(share(stacks, "Allocate.large", ["Allocate."]), 0.75, delta=0.08)

    def test_waiting_for_a_lock_is_where_a_program_waits(self):
        with self.jvm("Locking") as pid:
            stacks = collapsed(self.attach(pid, "--event", "lock"))
            self.assertGreater(share(stacks, "Locking.waiting", ["Locking."]), 0.95)

    def test_native_memory_is_where_a_program_allocates_it(self):
        with self.jvm("AllocateNative") as pid:
            for interval in (None, "16k"):
                with self.subTest(interval=interval):
                    options = ["--interval", interval] if interval else []
                    stacks = collapsed(self.attach(pid, "--event", "nativemem", *options, seconds=4))
                    self.assertAlmostEqual(share(stacks, "AllocateNative.large", ["AllocateNative."]), 0.75, delta=0.08)

    def has_events_of_the_kernel(self, pid):
        result = sparkprof("attach", pid, "--event", "cpu-clock", "--duration", 1, "-o", self.folder / "x.jfr", code=None)
        if "perf_event" in result.stderr.lower() or "No access to perf events" in result.stderr:
            self.skipTest(result.stderr)

    def test_events_of_the_kernel_are_where_a_program_causes_them(self):
        with self.jvm("Burn") as pid:
            self.has_events_of_the_kernel(pid)
            self.assert_burns(self.burning(pid, "--event", "cpu-clock"))
        with self.jvm("AllocateNative") as pid:
            self.assertTrue(collapsed(self.attach(pid, "--event", "context-switches")))

    def test_calls_of_a_method_are_counted(self):
        with self.jvm("Burn") as pid:
            stacks = collapsed(self.attach(pid, "--event", "Burn.small", seconds=2))
            self.assertTrue(stacks)
            self.assertTrue(all("Burn.small" in stack for stack in stacks), stacks)

    def test_several_events_go_into_one_recording(self):
        with self.jvm("Allocate") as pid:
            recording = self.attach(pid, "--event", "cpu,alloc,lock,wall", name="all.jfr")
        self.assertTrue(recording.read_bytes().startswith(b"FLR\0"))

    def test_pictures_and_pages_are_written_by_their_names(self):
        with self.jvm("Burn") as pid:
            self.assertIn("<svg", self.attach(pid, name="a.svg", seconds=1).read_text())
            self.assertIn("<html", self.attach(pid, name="a.html", seconds=1).read_text())
            json.loads(self.attach(pid, name="a.json", seconds=1).read_text())

    def test_lists_the_events_of_the_jvm(self):
        with self.jvm("Burn") as pid:
            listed = sparkprof("attach", pid, "--list").stdout
            for event in ("cpu", "wall", "alloc", "lock", "itimer", "ctimer", "nativemem", "nativelock"):
                self.assertIn(event, listed.split())
            # Listed events can be requested.
            self.assertIn("ClassName.methodName", listed)

    @unittest.skipIf(os.geteuid() != 0, "only root can start a JVM of another user")
    def test_root_attaches_to_another_users_jvm(self):
        with self.jvm("Burn", around=AS_NOBODY) as pid:
            self.assert_burns(self.burning(pid))
            self.assert_nothing_is_left()

    @unittest.skipIf(os.geteuid() != 0, "only root can become another user")
    def test_another_users_jvm_is_an_error_that_says_whose(self):
        with self.jvm("Burn") as pid:
            self.folder.chmod(0o755)
            result = execute(*AS_NOBODY, program_for_all(self.classes), "attach", pid, "-o", self.folder / "x.svg", code=2)
            self.assertIn("belongs to root", result.stderr)
            self.assertIn("sudo", result.stderr)

    def in_namespaces(self, mounts):
        unshare = ["unshare", "--pid", "--mount", "--fork", "--mount-proc"]
        permitted = execute(*unshare, "true", code=None)
        if permitted.returncode != 0:
            self.skipTest(permitted.stderr)
        return [*unshare, "sh", "-c", f'{mounts}; exec "$@"', "sh"]

    @unittest.skipIf(os.geteuid() != 0, "only root can make namespaces")
    def test_a_jvm_in_its_own_mount_and_pid_namespace(self):
        with self.jvm("Burn", around=self.in_namespaces("mount -t tmpfs none /dev/shm")) as pid:
            self.assertNotEqual(os.stat(f"/proc/{pid}/ns/pid").st_ino, os.stat("/proc/self/ns/pid").st_ino)
            for _ in range(2):
                self.assert_burns(self.burning(pid))
            self.assert_nothing_is_left(f"/proc/{pid}/root")

    @unittest.skipIf(os.geteuid() != 0, "only root can make namespaces")
    def test_a_temporary_folder_that_permits_no_execution(self):
        # The classes must stay visible, so they are bound into the new /tmp.
        mounts = (
            f"mkdir -p /mnt/sparkprof-test && mount --bind {self.classes} /mnt && mount -t tmpfs -o noexec none /tmp && "
            f"mkdir -p {self.classes} && mount --bind /mnt {self.classes}"
        )
        with self.jvm("Burn", around=self.in_namespaces(mounts)) as pid:
            self.assert_burns(self.burning(pid))
            self.assertEqual(glob.glob(f"/proc/{pid}/root/dev/shm/sparkprof-attach-*"), [])

    def test_a_jvm_that_refuses_is_an_error_that_says_what_to_do(self):
        refusing = {
            ("-XX:+DisableAttachMechanism",): "-XX:+DisableAttachMechanism",
            ("-XX:+DisableAttachMechanism", "-XX:-UsePerfData"): "-XX:+DisableAttachMechanism",
        }
        for options, reason in refusing.items():
            with self.subTest(options=options), self.jvm("Burn", *options) as pid:
                output = self.folder / "x.svg"
                result = sparkprof("attach", pid, "--duration", 1, "-o", output, code=2)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                self.assertIn(reason, result.stderr)
                self.assertIn("sparkprof run", result.stderr)
                self.assertFalse(output.exists())
                self.assert_nothing_is_left()

    def test_a_jvm_that_takes_no_agents_is_an_error_that_names_the_option(self):
        with self.jvm("Burn", "-XX:-EnableDynamicAgentLoading", major=25) as pid:
            result = sparkprof("attach", pid, "--duration", 1, code=2)
            self.assertIn("-XX:+EnableDynamicAgentLoading", result.stderr)

    def test_a_stopped_jvm_is_an_error_in_good_time(self):
        with self.jvm("Burn") as pid:
            os.kill(pid, signal.SIGSTOP)
            result = sparkprof("attach", pid, "--duration", 1, code=2)
            self.assertIn("stopped", result.stderr)
            self.assert_nothing_is_left()

    def test_what_is_no_jvm_is_said_so(self):
        for pid, reason in ((os.getpid(), "not a HotSpot JVM"), (4_194_303, "does not exist")):
            result = sparkprof("attach", pid, "--duration", 1, code=2)
            self.assertIn(reason, result.stderr)

    def test_an_output_that_cannot_be_written_is_said_before_the_jvm_is_touched(self):
        with self.jvm("Burn") as pid:
            for arguments in (["-o", self.folder / "no" / "x.svg"], ["--format", "nothing"]):
                result = sparkprof("attach", pid, *arguments, code=2)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertFalse(os.path.exists(f"/tmp/.java_pid{pid}"))

    def test_an_unknown_event_is_the_profilers_own_message(self):
        with self.jvm("Burn") as pid:
            result = sparkprof("attach", pid, "--event", "no-such-event", "--duration", 1, code=2)
            self.assertIn("event", result.stderr)
            self.assert_nothing_is_left()

    def test_ctrl_c_ends_it_and_writes_what_was_sampled(self):
        with self.jvm("Burn") as pid:
            output = self.folder / "out.collapsed"
            process = self.start(SPARKPROF, "attach", pid, "--duration", 600, "-o", output)
            recordings = lambda: glob.glob(f"/proc/{pid}/root/tmp/sparkprof-attach-*/recording.jfr")
            wait_until(recordings, "the recording to be begun")
            process.send_signal(signal.SIGINT)
            self.assertIn(process.wait(timeout=DEADLINE), (0, 1))
            self.assert_nothing_is_left()
            # It has been stopped: it can be started again.
            self.assert_burns(self.burning(pid))

    @slow("a whole chunk of 20 s is")
    def test_a_jvm_that_is_killed_leaves_what_it_had(self):
        with self.jvm("Burn") as pid:
            output = self.folder / "out.collapsed"
            process = self.start(SPARKPROF, "attach", pid, "--duration", 600, "-o", output)
            pattern = f"/proc/{pid}/root/tmp/sparkprof-attach-*/recording.jfr"
            # Chunks of 20 s here; two headers mean that one is whole.
            wait_until(lambda: any(pathlib.Path(path).read_bytes().count(b"FLR\0") > 1 for path in glob.glob(pattern)), "a whole chunk")
            os.kill(pid, signal.SIGKILL)
            self.assertIn("exited during", self.finish(process).stderr)
            self.assert_burns(collapsed(output))
            self.assert_nothing_is_left()

    def test_ten_times_leave_nothing_behind(self):
        with self.jvm("Burn") as pid:

            def state():
                return {
                    "threads": len(os.listdir(f"/proc/{pid}/task")),
                    "files": len(os.listdir(f"/proc/{pid}/fd")),
                    "library": pathlib.Path(f"/proc/{pid}/maps").read_text().count("libasyncProfiler.so"),
                }

            states = []
            for _ in range(10):
                self.attach(pid, "--event", "cpu,alloc,lock,wall", name="x.jfr", seconds=0.3)
                states.append(state())
            # The JIT's threads come and go.
            self.assertLessEqual(states[-1]["threads"], states[0]["threads"] + 2)
            self.assertEqual(states[-1]["library"], states[0]["library"])
            wait_until(lambda: state()["files"] <= states[0]["files"], "the JVM to close what it opened", 60)
            self.assert_nothing_is_left()

    def test_another_profiler_is_not_disturbed(self):
        with self.jvm("Burn") as pid:
            library = self.folder / "libasyncProfiler.so"
            platform = "linux-arm64" if os.uname().machine == "aarch64" else "linux-x64"
            library.write_bytes(execute("unzip", "-p", PLUGIN_JAR, f"{platform}/libasyncProfiler.so", text=False).stdout)
            jcmd = f"{JAVA_HOMES[17]}/bin/jcmd"
            execute(jcmd, pid, "JVMTI.agent_load", library, "status")
            result = sparkprof("attach", pid, "--duration", 1, code=2)
            self.assertIn("another profiler", result.stderr)

    @unittest.skipIf(shutil.which("perf") is None, "perf is not installed")
    def test_perf_sees_java_methods_by_their_names(self):
        with self.jvm("Burn", "-XX:+PreserveFramePointer") as pid:
            before, output = glob.glob("/tmp/sparkprof-perf-*"), self.folder / "perf.collapsed"
            result = sparkprof("attach", pid, "--perf", "--duration", 3, "-o", output, code=None)
            if "perf record failed" in result.stderr:
                self.skipTest(result.stderr)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("Burn", output.read_text())
            self.assertFalse(pathlib.Path(f"/tmp/perf-{pid}.map").exists())
            self.assertLessEqual(set(glob.glob("/tmp/sparkprof-perf-*")), set(before))

    def test_ps_lists_jvms_without_touching_them(self):
        with self.jvm("Burn") as pid:
            listed = json_of("attach", "--all-jvms")
            mine = [process for process in listed["processes"] if process["pid"] == pid]
            self.assertEqual(len(mine), 1)
            self.assertEqual(mine[0]["role"], "other")
            self.assertEqual(mine[0]["profiler"], "none")
            self.assertGreater(mine[0]["rssBytes"], 10 << 20)
            self.assertGreater(mine[0]["cpuPercent"], 5)
            self.assertFalse(os.path.exists(f"/tmp/.java_pid{pid}"))
