# SPDX-License-Identifier: Apache-2.0
"""JFR as Spark's own profiler writes it (connector/profiler, with SPARK-59487's task spans), of a real job on a real Spark.

The connector itself is built with Spark's source only (-Pjvm-profiler): no registry has it, so that a plugin that calls
async-profiler as it does stands in for it."""

import os
import unittest

from spark_jobs import Spark, submit
from support import PEERS, PLUGIN_JAR, TestCase, execute, report_data, slow, sparkprof, stacks_of, weight_of

LIBRARY = os.environ.get("SPARKPROF_ASYNC_PROFILER", "")
CONVERTER = PEERS / "jfr-converter.jar"
SECONDS, TASKS = 1.5, 4


def burnt(collapsed):
    """Samples of the job's own function."""
    return weight_of(stacks_of(collapsed), "KnownCpu.burn")


@slow("Spark's profiler is")
class SparkProfilerTest(TestCase):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(LIBRARY) or not os.path.exists(PLUGIN_JAR):
            raise unittest.SkipTest("SPARKPROF_ASYNC_PROFILER names no libasyncProfiler.so, or lib/ has no jar: make build")

    def run_job(self, **settings):
        """Profiles KnownCpu; the ids of its tasks, the file as async-profiler wrote it, and as it was copied in pieces."""
        spark = Spark()
        job, plugin = spark.compile_job("KnownCpu", self.folder), spark.compile_job("SpanPlugin", self.folder, PLUGIN_JAR)
        conf = {
            "spark.plugins": "SpanPlugin",
            "spark.spans.folder": self.folder,
            "spark.spans.library": LIBRARY,
            "spark.spans.args": "jfr,event=ctimer,interval=2ms,wall=10ms,alloc=2m,lock=10ms,chunktime=300s",
        }
        jars = ["--jars", f"{plugin},{PLUGIN_JAR}", "--driver-class-path", f"{plugin}:{PLUGIN_JAR}"]
        done = execute(*submit(job, SECONDS, TASKS, conf=conf | settings, options=jars), env=spark.environment())
        tasks = sorted(int(line.split()[0]) for line in done.stdout.splitlines()[-TASKS:])
        self.assertEqual(len(tasks), TASKS)
        file = self.folder / "profile-exec-driver.jfr"
        return tasks, file, file.with_suffix(".jfr.copy")

    def test_its_spans_cut_the_graph_by_task(self):
        tasks, path, _ = self.run_job()
        whole, of_tasks = self.samples(path), {tid: self.samples(path, "--task", tid) for tid in tasks}
        for samples in of_tasks.values():
            # All burn the same; a busy machine takes some of their samples.
            self.assertAlmostEqual(samples, whole / TASKS, delta=0.5 * whole / TASKS, msg=of_tasks)
        self.assertAlmostEqual(sum(of_tasks.values()), whole, delta=0.02 * whole)
        self.assertEqual(self.samples(path, "--stage", 0), sum(of_tasks.values()))
        page = self.folder / "page.html"
        sparkprof("flame", path, "-o", page)
        self.assertEqual([(stage["stageId"], stage["numTasks"]) for stage in report_data(page)["stages"]], [(0, TASKS)])
        for tid, samples in of_tasks.items():
            # It keeps the samples within the spans of one tag.
            self.assertEqual(self.converted(path, "--tag", f"0,0,{tid},{tid},0,SUCCESS"), samples, tid)

    def test_what_it_copied_in_pieces_is_what_it_wrote(self):
        _, path, copy = self.run_job(**{"spark.spans.copy": "true"})
        self.assertGreater(path.read_bytes().count(b"FLR\0"), 2, "one chunk for each dump")
        for options in ([], ["--event", "wall"], ["--event", "alloc"]):
            written = sparkprof("flame", path, "--format", "collapsed", *options).stdout
            self.assertTrue(written)
            self.assertEqual(sparkprof("flame", copy, "--format", "collapsed", *options).stdout, written)
        self.assertEqual(self.samples(copy), self.converted(path))

    def converted(self, path, *options):
        """Samples of the job's function that async-profiler's own converter finds."""
        if not CONVERTER.exists():
            self.skipTest("no jfr-converter.jar: run scripts/setup peers")
        output = self.folder / "converted.collapsed"
        execute("java", "-jar", CONVERTER, "--cpu", "--dot", *options, "-o", "collapsed", path, output, text=False)
        return burnt(output.read_text())

    def samples(self, path, *options):
        return burnt(sparkprof("flame", path, "--event", "cpu", "--format", "collapsed", *options).stdout)
