# SPDX-License-Identifier: Apache-2.0
"""Failures that jobs really have: the first finding must name each from the recording, the event log alone and the log alone."""

import re

from spark_jobs import run_job
from support import TestCase, json_of, slow

CLUSTER = "local-cluster[1,1,1024]"
SUMMARY = re.compile(r"(?ms)^failing · .*?^sparkprof: report: [^\n]*\n")
ALL = ("recording", "events", "log")
OF_DRIVER = ("recording", "log")  # no job ran, so that an event log has nothing

# The job's name for it, the rows of failures/ that name it, where it can be read, and what it needs.
PROVOKED = [
    ("value", {"python-value"}, ALL, {}),
    ("none", {"python-none"}, ALL, {}),
    ("module", {"python-module-missing"}, ALL, {}),
    ("crash", {"python-worker-crashed"}, ALL, {}),
    ("kill-worker", {"python-worker-crashed"}, ALL, {}),
    ("segfault", {"python-worker-native-crash"}, ALL, {"conf": {"spark.python.worker.faulthandler.enabled": "true"}}),
    ("kill-executor", {"exit-137-standalone", "exit-137"}, ALL, {"master": CLUSTER}),
    ("lock", {"python-serialization"}, OF_DRIVER, {}),
    ("context", {"context-in-worker"}, OF_DRIVER, {}),
    ("arrow", {"arrow-types"}, ALL, {}),
    ("cast", {"cast-failed"}, ALL, {}),
    ("divide", {"divide-by-zero"}, ALL, {}),
    ("overflow", {"arithmetic-overflow"}, ALL, {}),
    ("index", {"element-missing"}, ALL, {}),
    ("map-key", {"map-keys"}, ALL, {}),
    ("subquery", {"subquery-rows"}, ALL, {}),
    ("raised", {"user-error-raised"}, ALL, {}),
    ("column", {"column-not-found"}, OF_DRIVER, {}),
    ("table", {"table-not-found"}, OF_DRIVER, {}),
    ("syntax", {"syntax-error"}, OF_DRIVER, {}),
    ("aggregate", {"aggregation-missing"}, OF_DRIVER, {}),
    ("type", {"type-mismatch"}, OF_DRIVER, {}),
    ("ambiguous", {"ambiguous-column"}, OF_DRIVER, {}),
    ("path", {"path-not-found"}, OF_DRIVER, {}),
    ("scheme", {"filesystem-scheme"}, OF_DRIVER, {}),
    ("hdfs", {"hdfs-unreachable"}, OF_DRIVER, {"conf": {"spark.hadoop.ipc.client.connect.max.retries": 0}}),
    ("source", {"source-not-found"}, OF_DRIVER, {}),
    ("jdbc", {"jdbc-driver"}, OF_DRIVER, {}),
    ("csv-type", {"format-type"}, OF_DRIVER, {}),
    ("garbage", {"not-parquet"}, ALL, {}),
    ("deleted", {"file-gone"}, ALL, {}),
    ("other-type", {"file-types-differ"}, ALL, {}),
    ("twice", {"output-exists"}, OF_DRIVER, {}),
    ("malformed", {"malformed-record"}, ALL, {}),
    ("result", {"result-size"}, ALL, {"conf": {"spark.driver.maxResultSize": "1m"}}),
    ("task-size", {"rpc-message-size"}, ALL, {"master": CLUSTER, "conf": {"spark.rpc.message.maxSize": 1}}),
    ("broadcast", {"broadcast-timeout"}, ALL, {"conf": {"spark.sql.broadcastTimeout": 1, "spark.sql.adaptive.enabled": "false"}}),
    (
        "heap",
        {"heap-full", "gc-overhead", "exit-52", "execution-memory"},
        ALL,
        {"master": "local-cluster[1,1,512]", "conf": {"spark.executor.memory": "512m"}},
    ),
    ("plan", {"stack-overflow"}, OF_DRIVER, {}),
    ("stream", {"divide-by-zero"}, ALL, {}),
    ("stream-mode", {"stream-output-mode"}, OF_DRIVER, {}),
    ("program", {"python-program"}, OF_DRIVER, {}),
]


@slow("Real failures are")
class ProvokedFailuresTest(TestCase):
    def inputs_of(self, name, needs):
        events = self.folder / f"{name}-events"
        events.mkdir()
        conf = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": events, "spark.ui.enabled": "false"} | needs.get("conf", {})
        profile = run_job(
            self.folder, "failing_job.py", name, self.folder, name=name, code=None, master=needs.get("master", "local[2]"), conf=conf
        )
        self.assertNotEqual(profile.process.returncode, 0)
        log = self.folder / f"{name}.log"
        # spark-submit prints what a Python program prints on standard output, also its errors. What sparkprof prints is no log.
        log.write_text(SUMMARY.sub("", profile.process.stderr) + profile.process.stdout)
        return {"recording": profile.recording, "events": events, "log": log}

    def test_each_is_named_from_what_is_left(self):
        missed = []
        for name, failures, places, needs in PROVOKED:
            inputs = self.inputs_of(name, needs)
            for place in places:
                first = next(iter(json_of("findings", inputs[place], code=None)), {})
                named = (first.get("failure") or {}).get("id")
                if named not in failures:
                    missed.append(f"{name} from the {place}: {named}: {first.get('title')}")
        self.assertEqual(missed, [])
