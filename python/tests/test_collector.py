# SPDX-License-Identifier: Apache-2.0
"""The native collector behind the profiler classes, in this very process."""

import os
import re
import subprocess
import sys
import threading
import time
import unittest

from sparkprof import _collector

FRAME = re.compile(r"^.+:[^:]+:\d+$")


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def sleep(seconds):
    time.sleep(seconds)


def threads_of_the_process():
    return set(os.listdir("/proc/self/task"))


class CollectorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Threads of libraries and of earlier tests, which may end at any time.
        cls.others = threads_of_the_process()

    def setUp(self):
        self.await_the_samplers_end()

    def new_threads(self):
        return threads_of_the_process() - self.others

    def await_the_samplers_end(self):
        """Its thread stays for a while where another function may come."""
        deadline = time.monotonic() + 600
        while self.new_threads() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.new_threads(), set())

    def collect(self, function, *arguments, interval=0.01, stacks=True, points=True):
        self.stacks, self.points = {}, []

        def take(more_stacks, more_points):
            for stack, count in more_stacks.items():
                self.stacks[stack] = self.stacks.get(stack, 0) + count
            self.points += more_points

        return _collector.run(function, arguments, {}, interval, stacks, points, take)

    def count(self, function):
        return sum(count for stack, count in self.stacks.items() if any(f":{function}:" in frame for frame in stack))

    def test_a_stack_is_leaf_first_with_file_function_and_line(self):
        def outer():
            burn(0.4)
            return "result"

        self.assertEqual(self.collect(outer), "result")
        own = [stack for stack in self.stacks if f"{__file__}:burn:" in stack[0]]
        self.assertTrue(own, self.stacks)
        for stack in own:
            self.assertTrue(all(FRAME.match(frame) for frame in stack), stack)
            outer_line = outer.__code__.co_firstlineno + 1
            self.assertEqual(stack[1], f"{__file__}:outer:{outer_line}")

    def test_waiting_counts_as_working_does(self):
        clock = []

        def work():
            burn(0.3)
            clock.append(time.monotonic())
            sleep(1)
            clock.append(time.monotonic())

        self.collect(work)
        self.assertGreater(self.count("burn"), 5)
        # A busy machine lets the sampler miss ticks, but never adds any.
        ticks = (clock[1] - clock[0]) / 0.01
        self.assertGreater(self.count("sleep"), 5)
        self.assertLess(self.count("sleep"), 1.2 * ticks)

    def test_cpu_and_memory_are_those_that_the_system_counts(self):
        def work():
            burn(0.2)  # so that it is seen without the block, too
            block = bytearray(64 << 20)
            burn(0.5)
            return len(block)

        before = time.process_time(), time.time()
        self.collect(work)
        cpu, end = time.process_time() - before[0], time.time()
        pids, times, rss, virtual, faults, percents = zip(*self.points)
        self.assertEqual(set(pids), {os.getpid()})
        self.assertEqual(list(times), sorted(times))
        self.assertTrue(all(before[1] * 1000 - 1 <= moment <= end * 1000 for moment in times))
        # Each point is of the time since the one before. What was burnt before the first and after the last has none.
        spans = [(later - earlier) / 1000 for earlier, later in zip(times, times[1:])]
        seen = sum(percent * span for percent, span in zip(percents[1:], spans)) / 100
        without = end - before[1] - sum(spans)
        self.assertLess(seen, cpu + 0.05)
        self.assertGreater(seen, cpu - without - 0.05)
        self.assertGreater(max(rss) - min(rss), 32 << 20)
        self.assertTrue(all(a >= b > 0 for a, b in zip(virtual, rss)))
        self.assertEqual(list(faults), sorted(faults))

    def test_it_stops_when_the_function_raises(self):
        def fail():
            during.append(len(self.new_threads()))
            raise KeyError("mine")

        during = []
        with self.assertRaisesRegex(KeyError, "mine"):
            self.collect(fail)
        self.assertEqual(during, [1])
        self.await_the_samplers_end()
        self.collect(burn, 0.2)
        self.assertGreater(self.count("burn"), 5)

    def test_functions_shorter_than_the_interval_are_met_as_often_as_is_their_share(self):
        self.check_share_of_short_functions(0.02, 0.001, lambda: burn(0.001))

    def test_so_are_those_that_come_after_a_longer_one(self):
        def longer():
            self.collect(burn, 0.006, interval=0.005, points=False)

        self.check_share_of_short_functions(0.005, 0.00025, longer)

    def check_share_of_short_functions(self, interval, seconds, before_each):
        seen, inside = 0, []

        def short():
            begin = time.monotonic()
            burn(seconds)
            inside.append(time.monotonic() - begin)

        while sum(inside) < 60 * interval:
            before_each()
            self.collect(short, interval=interval, points=False)
            seen += self.count("short")
        # Never, or in each of them, would be a share of 0 or of 20. A busy machine lets the sampler miss most of its ticks.
        share = seen * interval / sum(inside)
        self.assertGreater(share, 0.02)
        self.assertLess(share, 1.6)
        self.await_the_samplers_end()

    def test_other_threads_are_seen_too(self):
        done = threading.Event()
        other = threading.Thread(target=lambda: done.wait(20), name="other")
        other.start()
        self.collect(burn, 0.3)
        done.set()
        other.join()
        self.assertGreater(self.count("wait"), 5)

    def test_a_profiled_function_within_another_is_a_part_of_it(self):
        self.collect(lambda: _collector.run(burn, (0.2,), {}, 0.01, True, True, self.fail))
        self.assertGreater(self.count("burn"), 5)

    def test_memory_is_bounded(self):
        code = "\n".join(f"def f{i}(n):\n    return sleep_a_little() if n == 0 else f{i}(n - 1)" for i in range(300))
        names = {"sleep_a_little": lambda: time.sleep(0.0008)}
        exec(compile(code, "generated.py", "exec"), names)

        def many_stacks():
            for depth in range(400, 500):
                for i in range(20):
                    names[f"f{(depth * 7 + i) % 300}"](depth)

        self.collect(many_stacks, interval=0.001)
        # Stacks without room are counted together.
        frames = sum(len(stack) for stack in self.stacks if stack != _collector.OTHER_STACKS)
        self.assertLessEqual(frames, 1 << 18)
        self.assertLessEqual(len(self.points), 4096)
        self.assertGreater(sum(self.stacks.values()), 500)

    def test_a_forked_child_goes_on_without_it_and_the_parent_with_it(self):
        def fork():
            pid = os.fork()
            if pid == 0:
                return "child"
            self.assertEqual(os.waitpid(pid, 0)[1], 0)
            burn(0.3)
            return "parent"

        who = self.collect(fork)
        if who == "child":
            alone = len(threads_of_the_process()) == 1
            self.collect(burn, 0.2)
            os._exit(0 if alone and self.count("burn") > 3 else 1)
        self.assertGreater(self.count("burn"), 10)

    def test_without_a_library_the_function_runs_and_standard_error_says_why_once(self):
        code = (
            "from sparkprof import _collector, _sampler\n"
            "_sampler._LIBRARY_NAME = 'none.so'\n"
            "for _ in range(2): print(_collector.run(max, (1, 2), {}, 0.1, True, True, None))\n"
        )
        environment = {key: value for key, value in os.environ.items() if key != "SPARKPROF_PYSAMPLER"}
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**environment, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self.assertEqual(done.stdout, "2\n2\n")
        self.assertEqual(done.stderr.count("Python is not sampled: no none.so"), 1)
