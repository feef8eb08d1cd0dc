# SPDX-License-Identifier: Apache-2.0
import unittest

from sparkprof import ProfileParser, get_max_y

from tests.support import FolderTest, golden, jvm_record, pyspark_record, shared

STANDARD = [
    "epochMillis",
    "ScavengeCollTime",
    "MarkSweepCollTime",
    "MarkSweepCollCount",
    "ScavengeCollCount",
    "systemCpuLoad",
    "processCpuLoad",
    "nonHeapMemoryTotalUsed",
    "nonHeapMemoryCommitted",
    "heapMemoryTotalUsed",
    "heapMemoryCommitted",
]


class ProfileParserTest(FolderTest):
    def mixed_file(self):
        return self.write(
            "combined.json.gz",
            pyspark_record(1500, 11, 1048576),
            pyspark_record(1700, 12, 4194304),
            jvm_record(2000, 5242880.0),
            "ConsoleOutputReporter - CpuAndMemory: " + jvm_record(1000, 1048576.0, young=("PS Scavenge", 3, 120_000)),
        )

    def test_maxima_have_phils_names_and_units(self):
        parser = ProfileParser(self.mixed_file())
        parser.manually_set_profiler("jvm")
        self.assertEqual(
            parser.get_maxima(),
            {
                "ScavengeCollTime": 2,
                "MarkSweepCollTime": 0,
                "MarkSweepCollCount": 0,
                "ScavengeCollCount": 3,
                "systemCpuLoad": 0.5,
                "processCpuLoad": 0.25,
                "nonHeapMemoryTotalUsed": 2,
                "nonHeapMemoryCommitted": 3,
                "heapMemoryTotalUsed": 5,
                "heapMemoryCommitted": 8,
            },
        )

    def test_values_are_as_recorded_without_normalization(self):
        parser = ProfileParser(self.mixed_file(), normalize=False)
        parser.manually_set_profiler("JVMProfiler")
        self.assertEqual(parser.get_maxima()["heapMemoryTotalUsed"], 5242880)
        self.assertEqual(parser.get_maxima()["ScavengeCollTime"], 120_000)

    def test_the_first_record_decides_the_profiler(self):
        parser = ProfileParser(self.mixed_file())
        self.assertEqual(parser.get_available_metrics(), ["epochMillis", "pmem_rss", "pmem_vms", "cpu_percent"])
        self.assertEqual(parser.resource_format, "PySparkPhilProfiler")

    def test_points_are_in_order_of_time(self):
        parser = ProfileParser(self.mixed_file())
        parser.manually_set_profiler("JVM")
        graphs = {graph.name: graph for graph in parser.make_graph()}
        self.assertEqual(list(graphs), STANDARD[1:])
        self.assertEqual(list(graphs["heapMemoryTotalUsed"].x), [1000, 2000])
        self.assertEqual(list(graphs["heapMemoryTotalUsed"].y), [1, 5])
        self.assertEqual(graphs["heapMemoryTotalUsed"].mode, "lines+markers")
        self.assertEqual([record["epochMillis"] for record in parser.data_points], [1000, 2000])

    def test_an_id_cuts_out_one_worker_and_is_in_the_names(self):
        parser = ProfileParser(self.mixed_file())
        parser.manually_set_profiler("pyspark")
        parser.get_available_metrics()  # reading once does not fix what comes later
        (graph,) = parser.get_metrics(["pmem_rss_12"], id="12")
        self.assertEqual((graph.name, list(graph.x), list(graph.y)), ("pmem_rss_12", [1700], [4]))

    def test_names_are_included_and_ignored_by_part(self):
        parser = ProfileParser(self.mixed_file())
        parser.manually_set_profiler("JVM")
        names = [graph.name for graph in parser.get_metrics(["CpuLoad", "heapMemoryC"])]
        self.assertEqual(names, ["systemCpuLoad", "processCpuLoad", "heapMemoryCommitted"])
        names = [graph.name for graph in parser.ignore_metrics(["Coll", "Memory"])]
        self.assertEqual(names, ["systemCpuLoad", "processCpuLoad"])

    def test_collectors_of_other_jvms_are_young_or_old(self):
        file = self.write("g1.json", jvm_record(1, 1.0, young=("G1 Young Generation", 4, 30_000), old=("G1 Old Generation", 1, 90_000)))
        maxima = ProfileParser(file).get_maxima()
        self.assertEqual(maxima["ScavengeCollTime"], 0.5)
        self.assertEqual(maxima["MarkSweepCollTime"], 1.5)
        self.assertEqual(maxima["gc-G1OldGeneration-collectionCount"], 1)

    def test_a_file_without_records_is_an_unknown_format(self):
        with self.assertRaisesRegex(ValueError, "Unknown profile format"):
            ProfileParser(self.write("job.log", "19/02/23 18:48:45 INFO Executor: hello")).make_graph()
        with self.assertRaisesRegex(ValueError, "missing.json"):
            ProfileParser(str(self.folder / "missing.json")).make_graph()
        with self.assertRaisesRegex(ValueError, "perf"):
            ProfileParser(self.mixed_file()).manually_set_profiler("perf")

    def test_the_largest_y_scales_tasks(self):
        parser = ProfileParser(self.mixed_file())
        parser.manually_set_profiler("JVM")
        self.assertEqual(get_max_y(parser.make_graph()), 8)
        self.assertEqual(ProfileParser.get_max_y([]), -1)


class GoldenTest(unittest.TestCase):
    def test_points_and_maxima_are_the_originals(self):
        for name, expected in golden().items():
            file, _, profiler = name.partition("#")
            if "points" not in expected:
                continue
            with self.subTest(name):
                parser = ProfileParser(shared(file))
                if profiler:
                    parser.manually_set_profiler(profiler)
                self.assertEqual(parser.get_maxima(), expected["max"])
                parser.parse_profiles()
                self.assertEqual(len(parser.data_points), expected["points"])
