# SPDX-License-Identifier: Apache-2.0
"""A profiler of the whole host beside a job that samples nothing itself. Where BPF cannot run, the test reads the CPU time of each thread
from /proc and sends it as OpenTelemetry's eBPF profiler does, with process, thread and time."""

import os
import pathlib
import re
import threading
import time

from collector import JSON, Collector
from proc import TICKS, fields_of, program_of
from spark_jobs import Spark, submit
from support import PLUGIN_JAR, TestCase, slow, stacks_of, wait_until

BURNT_SECONDS, TASKS = 3, 2
TEXTS = ["", "samples", "count", "cpu", "nanoseconds", "thread.id", "thread.name"]


class HostProfiler(threading.Thread):
    """Sends what the threads of new Java processes use, every second."""

    def __init__(self, collector):
        super().__init__(daemon=True)
        self.collector, self.used, self.ended = collector, {}, threading.Event()
        self.others = self.jvms()

    @staticmethod
    def jvms():
        return {pid for pid in os.listdir("/proc") if pid.isdigit() and program_of(pid) == "java"}

    def run(self):
        jvms, resources, sent = set(), {}, 0
        while not self.ended.wait(0.05):
            if time.monotonic() - sent > 1:
                self.send(resources)
                jvms, resources, sent = self.jvms() - self.others, {}, time.monotonic()
            self.read(jvms, resources)
        self.send(resources)

    def read(self, jvms, resources):
        for thread in (thread for pid in jvms for thread in pathlib.Path(f"/proc/{pid}/task").glob("*/stat")):
            _, _, pid, _, tid, _ = thread.parts
            fields = fields_of(thread)
            if not fields:
                continue
            used = int(fields[11]) + int(fields[12])
            before = self.used.get((pid, tid), 0)
            self.used[pid, tid] = used
            if used > before:
                resources.setdefault(pid, []).append((tid, time.time_ns(), used - before))

    def send(self, resources):
        tids = sorted({tid for samples in resources.values() for tid, _, _ in samples})
        attributes = [{}, *({"keyStrindex": 5, "value": {"intValue": tid}} for tid in tids)]
        profiles = [
            {
                "resource": {"attributes": [{"key": "process.pid", "value": {"intValue": pid}}]},
                "scopeProfiles": [{"profiles": [self.profile(samples, tids)]}],
            }
            for pid, samples in resources.items()
        ]
        dictionary = {
            "stringTable": [*TEXTS, "double KnownCpu.burn(long)", "profile.frame.type"],
            "functionTable": [{}, {"nameStrindex": len(TEXTS)}],
            "attributeTable": [*attributes, {"keyStrindex": len(TEXTS) + 1, "value": {"stringValue": "jvm"}}],
            "locationTable": [{}, {"lines": [{"functionIndex": 1}], "attributeIndices": [len(attributes)]}],
            "stackTable": [{}, {"locationIndices": [1]}],
            "mappingTable": [{}],
        }
        answer = self.collector.request("POST", "/v1development/profiles", {"resourceProfiles": profiles, "dictionary": dictionary}, JSON)
        if answer.status != 200:
            raise AssertionError(answer.body)

    @staticmethod
    def profile(samples, tids):
        rows = [
            {"stackIndex": 1, "values": [str(used)], "attributeIndices": [1 + tids.index(tid)], "timestampsUnixNano": [str(at)]}
            for tid, at, used in samples
        ]
        period = {"typeStrindex": 3, "unitStrindex": 4}
        return {"sampleType": {"typeStrindex": 1, "unitStrindex": 2}, "periodType": period, "period": str(10**9 // TICKS), "samples": rows}

    def stop(self):
        self.ended.set()
        self.join()


class HostProfilesTest(TestCase):
    def stage_seconds(self, collector, application, **selection):
        answer = collector.get(f"/applications/{application}/flame", format="collapsed", event="cpu", **selection)
        return sum(stacks_of(answer.body.decode()).values()) / 1e9 if answer.status == 200 else 0

    @slow("a job beside a profiler is")
    def test_samples_of_the_host_are_cut_by_stage_while_a_job_without_a_sampler_runs(self):
        collector = self.enter(Collector(self.folder / "data"))
        spark = Spark()
        conf = {
            "spark.plugins": "org.sparkprof.SparkProfPlugin",
            "spark.sparkprof.server": collector.url,
            "spark.sparkprof.events": "none",
            "spark.sparkprof.heapSummary.enabled": "false",
            "spark.ui.enabled": "false",
        }
        options = ["--driver-class-path", PLUGIN_JAR]
        job = submit(spark.compile_job("KnownCpu", self.folder), BURNT_SECONDS, TASKS, conf=conf, options=options)
        profiler = HostProfiler(collector)
        profiler.start()
        process = self.start(*job, env=spark.environment())
        listed = wait_until(lambda: [row for row in collector.applications() if row["name"] == "KnownCpu"], "the application")
        application = listed[0]["id"]
        wait_until(lambda: self.stage_seconds(collector, application, stage=0) > 0, "samples of the stage")
        self.assertIsNone(process.poll(), "the job runs")
        printed = self.finish(process).stdout
        profiler.stop()
        burnt = sum(int(cpu) for cpu in re.findall(r"^\d+ (\d+) \d+$", printed, re.MULTILINE)) / 1e9
        self.assertGreaterEqual(burnt, BURNT_SECONDS * TASKS)

        def seconds():
            return self.stage_seconds(collector, application, stage=0)

        wait_until(lambda: seconds() > 0.9 * burnt, "the last samples")
        self.assertLess(seconds(), 1.15 * burnt)
        answer = collector.get(f"/applications/{application}/flame", format="collapsed", event="cpu", stage=0)
        self.assertEqual(set(stacks_of(answer.body.decode())), {"KnownCpu.burn"}, "without the signature")
        self.assertGreater(self.stage_seconds(collector, application), seconds(), "threads without a task")
