# SPDX-License-Identifier: Apache-2.0
"""The profiler classes of Phil's Stopwatch on real Spark: their files, and the verbs that read them."""

import json
import os
import re
import zipfile

from spark_jobs import VERSIONS_OF_LONG_TESTS, Spark, submit
from support import REPOSITORY, TestCase, execute, json_of, slow, sparkprof, stacks_of

PACKAGE = REPOSITORY / "python"
SAMPLER = os.environ.get("SPARKPROF_PYSAMPLER")  # instead of the one that was built into the package
POINT_KEYS = ["pid", "epochMillis", "pmem_rss", "pmem_vms", "pmem_pfaults", "cpu_percent"]


class ClassicProfilersTest(TestCase):
    def run_job(self, version, profiler):
        dump = self.folder / f"{profiler}-{version}"
        environment = {"PYTHONPATH": PACKAGE} | ({"SPARKPROF_PYSAMPLER": SAMPLER} if SAMPLER else {})
        command = submit("classic_profilers.py", profiler, dump, conf={"spark.ui.enabled": "false"})
        process = execute(*command, env=Spark(version).environment(**environment))
        said = {}
        for line in re.findall(r"^job (.*)$", process.stdout, re.MULTILINE):
            said.update(json.loads(line))
        # The profiler does not change these.
        self.assertEqual((said["sum"], said["raised"], said["doubled"], said["version"]), (10, True, 999000, version))
        shown = re.search(r"^show\n(.*)^shown$", process.stdout, re.MULTILINE | re.DOTALL)[1].splitlines()
        return dump, [json.loads(line) for line in shown], said

    def records(self, dump, suffix):
        return {
            file.name: [json.loads(line) for line in file.read_text().splitlines()]
            for file in sorted(dump.iterdir())
            if file.name.endswith(suffix)
        }

    def test_stacks_and_metrics_are_dumped_shown_and_read_again(self):
        for version in VERSIONS_OF_LONG_TESTS:
            with self.subTest(spark=version):
                dump, shown, said = self.run_job(version, "both")
                stacks, points = self.records(dump, "_stack.json"), self.records(dump, "_cpumem.json")
                self.assertEqual({file.stat().st_mode & 0o777 for file in dump.iterdir()}, {0o600})
                self.assertEqual(len(stacks) + len(points), len(list(dump.iterdir())))
                for name, records in stacks.items():
                    rdd = re.fullmatch(r"s_((?:udf)?\d+)_stack\.json", name)[1]
                    for record in records:
                        self.assertEqual(list(record), ["stacktrace", "count", "i_d", "intervalMillis"])
                        self.assertEqual(record["i_d"], f"{rdd}_id")
                for name, records in points.items():
                    pid = re.fullmatch(r"s_(?:udf)?\d+_(\d+)_cpumem\.json", name)[1]
                    for record in records:
                        self.assertEqual(list(record), POINT_KEYS)
                        self.assertEqual(record["pid"], int(pid))
                        self.assertGreater(record["pmem_rss"], 10 << 20)
                dumped = [record for kind in (points, stacks) for records in kind.values() for record in records]
                self.assertCountEqual(map(json.dumps, shown), map(json.dumps, dumped))

                self.assertTrue(any(name.startswith("s_udf") for name in stacks), list(stacks))
                # 1.6 s of work and 2 s of the UDF at 20 ms; the calls of the UDF are shorter than that.
                folded = stacks_of(sparkprof("convert", "--records", *[dump / name for name in stacks]).stdout)
                for name, least in (("work", 40), ("short", 15)):
                    own = re.compile(rf"classic_profilers\.py:{name}:\d+(;|$)")
                    self.assertGreater(sum(count for stack, count in folded.items() if own.search(stack)), least, name)
                maxima = {row["name"]: row["maximum"] for row in json_of("show", "metrics", dump)}
                self.assertGreater(maxima["pmem_rss"], 10 << 20)
                self.assertGreater(maxima["cpu_percent"], 5)
                self.assertTrue(json_of("analyze", dump, "--no-report"))

                # A worker whose function raised has no thread left of it.
                self.assertTrue(all(count <= 2 for count in said["threads"]), said["threads"])

    @slow("the profiler cpumem is")
    def test_cpumem_leaves_no_stacks(self):
        dump, _, _ = self.run_job("4.1.1", "cpumem")
        self.assertEqual({re.search(r"_[a-z]+\.json$", file.name)[0] for file in dump.iterdir()}, {"_cpumem.json"})

    @slow("the sampler from a zip file is")
    def test_a_zip_file_of_the_package_brings_the_sampler_to_workers(self):
        archive = self.folder / "sparkprof.zip"
        with zipfile.ZipFile(archive, "w") as file:
            for source in (PACKAGE / "sparkprof").glob("*.py"):
                file.write(source, f"sparkprof/{source.name}")
            for library in (PACKAGE / "sparkprof").glob("native/*/libsparkprof-pysampler.so"):
                file.write(SAMPLER or library, f"sparkprof/native/{library.parent.name}/{library.name}")
        dump = self.folder / "zip"
        command = submit("classic_profilers.py", "stack", dump, master="local[1]", options=["--py-files", archive])
        process = execute(*command, env=Spark("3.5.7").environment())
        self.assertNotIn("Python is not sampled", process.stderr)
        self.assertTrue(all(file.name.endswith("_stack.json") for file in dump.iterdir()))
        self.assertTrue(self.records(dump, "_stack.json"))
