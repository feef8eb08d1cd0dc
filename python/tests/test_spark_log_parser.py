# SPDX-License-Identifier: Apache-2.0
import datetime
import unittest

from sparkprof import AppParser, SparkLogParser
from sparkprof._spark_log_parser import AttemptId

from tests.support import FolderTest, golden, jvm_record, shared

START = 1_550_000_000  # seconds


def at(seconds, text):
    """A log line of Spark 2.4 at START + seconds, UTC."""
    time = datetime.datetime.fromtimestamp(START + seconds, datetime.timezone.utc)
    return f"{time:%Y-%m-%d %H:%M:%S} {text}"


def starting(seconds, task, stage, tid):
    return at(
        seconds,
        f"INFO  TaskSetManager:54 - Starting task {task} in stage {stage} (TID {tid}, localhost, executor driver, "
        f"partition {int(float(task))}, PROCESS_LOCAL, 8052 bytes)",
    )


def finished(seconds, task, stage, tid, millis):
    return at(
        seconds,
        f"INFO  TaskSetManager:54 - Finished task {task} in stage {stage} (TID {tid}) in {millis} ms on localhost (executor driver) (1/3)",
    )


DRIVER_LOG = (
    at(0, "INFO  SparkContext:54 - Submitted application: Small"),
    at(0, "WARN  NativeCodeLoader:62 - Unable to load native-hadoop library for your platform"),
    at(1, "INFO  DAGScheduler:54 - Got job 0 (collect at Small.scala:1) with 2 output partitions"),
    at(1, "INFO  DAGScheduler:54 - Submitting 2 missing tasks from ResultStage 0 (MapPartitionsRDD[1] at x)"),
    starting(2, "0.0", "0.0", 0),
    starting(2, "1.0", "0.0", 1),
    finished(5, "1.0", "0.0", 1, 3000),
    at(6, "ERROR Executor:91 - Exception in task 0.0 in stage 0.0 (TID 0)"),
    "java.lang.IllegalStateException: no luck",
    "\tat org.example.Job.run(Job.scala:7)",
    at(
        6,
        "WARN  TaskSetManager:66 - Lost task 0.0 in stage 0.0 (TID 0, localhost, executor driver): "
        "java.lang.IllegalStateException: no luck",
    ),
    "\tat org.example.Job.run(Job.scala:7)",
    starting(6, "0.1", "0.0", 2),
    finished(10, "0.1", "0.0", 2, 4000),
    at(10, "INFO  DAGScheduler:54 - ResultStage 0 (collect at Small.scala:1) finished in 9.000 s"),
    at(10, "INFO  DAGScheduler:54 - Job 0 finished: collect at Small.scala:1, took 9.000000 s"),
)


def millis(seconds):
    return (START + seconds) * 1000


class SparkLogParserTest(FolderTest):
    def parser(self, *more):
        return SparkLogParser(self.write("driver.log", *DRIVER_LOG, *more))

    def assert_close(self, intervals, expected):
        """The same keys, and times within the log's one second."""
        self.assertEqual(set(intervals), set(expected))
        for key, (start, end) in expected.items():
            self.assertAlmostEqual(intervals[key][0], start, delta=1000, msg=str(key))
            self.assertAlmostEqual(intervals[key][1], end, delta=1000, msg=str(key))

    def test_tasks_stages_and_jobs_have_their_intervals(self):
        parser = self.parser()
        self.assert_close(
            parser.extract_task_intervals(),
            {(0.0, 0.0, 0): (millis(2), millis(6)), (1.0, 0.0, 0): (millis(2), millis(5)), (0.1, 0.0, 0): (millis(6), millis(10))},
        )
        self.assert_close(parser.extract_stage_intervals(), {(0.0, 0): (millis(1), millis(10))})
        self.assert_close(parser.extract_job_intervals(), {0: (millis(1), millis(10))})
        self.assertEqual(parser.get_job_intervals(), parser.job_intervals)
        self.assertEqual(parser.application_name, "Small")
        # Each may be asked for again, in any order.
        self.assertEqual(parser.extract_task_intervals(), parser.task_intervals)

    def test_active_tasks_are_never_more_than_run(self):
        times, counts = self.parser().extract_active_tasks()
        self.assertEqual(len(times), len(counts))
        self.assertTrue(all(later - earlier == 1000 for earlier, later in zip(times, times[1:])))
        self.assertEqual(max(counts), 2)
        self.assertEqual(counts[-1], 0)

    def test_graphs_have_the_originals_names(self):
        parser = self.parser()
        graphs = parser.graph_tasks(300)
        self.assertCountEqual([graph.name for graph in graphs], ["Task 0.0@0.0@0", "Task 1.0@0.0@0", "Task 0.1@0.0@0", "Task labels"])
        self.assertEqual(len(graphs[-1].text), 6)
        self.assertEqual(list(parser.extract_stage_markers().text), ["Stage 0.0@0 start", "Stage 0.0@0 end"])
        shapes = parser.extract_job_markers(300)["shapes"]
        self.assertEqual([shape["y1"] for shape in shapes], [300, 300])
        self.assertEqual(shapes[0]["line"], {"color": "rgb(128, 0, 128)", "width": 4, "dash": "dot"})
        self.assertEqual(parser.get_active_tasks_plot().name, "Active Tasks")

    def test_errors_are_the_newest_first_with_their_lines(self):
        errors = self.parser(at(20, "ERROR Other:1 - the last")).extract_errors()
        self.assertEqual(errors[0], [at(20, "ERROR Other:1 - the last")])
        self.assertEqual(errors[-1], [DRIVER_LOG[1]])
        (exception,) = [lines for lines in errors if "java.lang.IllegalStateException: no luck" in "".join(lines)]
        self.assertEqual(exception[-1], "at org.example.Job.run(Job.scala:7)")

    def test_errors_that_repeat_are_there_once_unless_all_are_wanted(self):
        more = [at(20 + i, f"ERROR Other:1 - lost block {i}") for i in range(5)]
        parser = self.parser(*more)
        self.assertEqual(parser.extract_errors()[0], [more[-1]])
        self.assertEqual(sum("lost block" in lines[0] for lines in parser.extract_errors()), 1)
        self.assertEqual(sum("lost block" in lines[0] for lines in parser.extract_errors(deduplicate=False)), 5)

    def test_repeated_messages_are_the_first_chunk(self):
        more = []
        for i in range(50):
            more += [at(20 + i, "INFO  Loader:1 - Loading model part one"), at(20 + i, "INFO  Loader:1 - Loaded all of it")]
        chunks = self.parser(*more).get_top_log_chunks()
        repeats, lines = chunks[0]
        self.assertGreaterEqual(repeats, 49)
        self.assertIn("Loading model part one", " ".join(lines))

    def test_an_empty_log_and_one_without_tasks_have_nothing(self):
        for parser in (SparkLogParser(self.write("empty.log")), SparkLogParser(self.write("none.log", at(0, "INFO  X:1 - nothing")))):
            self.assertEqual(parser.extract_task_intervals(), {})
            self.assertEqual(parser.extract_stage_intervals(), {})
            self.assertEqual(parser.extract_job_intervals(), {})
            self.assertEqual(parser.extract_active_tasks(), ([], []))
            self.assertEqual(len(parser.graph_tasks(10)), 1)
            self.assertEqual(len(parser.extract_errors()), 0)

    def test_metrics_come_from_the_profile_file_or_the_log_itself(self):
        profile = self.write("cpu.json", jvm_record(1, 1048576.0))
        parser = SparkLogParser(self.write("driver.log", *DRIVER_LOG), profile)
        self.assertEqual([graph.name for graph in parser.get_metrics(["heapMemoryT"])], ["heapMemoryTotalUsed"])
        mixed = self.parser("ConsoleOutputReporter - CpuAndMemory: " + jvm_record(1, 1048576.0))
        self.assertIn("heapMemoryTotalUsed", mixed.get_available_metrics())

    def test_attempts_beyond_nine_are_told_apart(self):
        self.assertEqual(AttemptId(0, 1), 0.1)
        self.assertNotEqual(AttemptId(0, 1), AttemptId(0, 10))
        self.assertEqual(len({AttemptId(0, 1): 1, AttemptId(0, 10): 2}), 2)
        self.assertEqual(f"{AttemptId(0, 10)}", "0.10")
        self.assertLess(AttemptId(0, 9), AttemptId(0, 10))


class AppParserTest(FolderTest):
    def setUp(self):
        super().setUp()
        container = "application_1_0001/container_1_0001_01_00000{}/{}.gz"
        # The driver's log is detected by its content: here it is not the first.
        self.write(container.format(2, "stderr"), *DRIVER_LOG)
        for number, heap in ((1, 1048576.0), (3, 2097152.0)):
            self.write(
                container.format(number, "stderr"),
                at(3, "INFO  Executor:54 - Running task 0.0 in stage 0.0 (TID 0)"),
                at(30 + number, f"ERROR BlockManager:1 - gone {number}"),
            )
            self.write(container.format(number, "stdout"), jvm_record(1, heap))
        self.write(container.format(4, "stderr"))  # empty
        self.parser = AppParser(str(self.folder / "application_1_0001") + "/")

    def test_containers_are_told_by_their_numbers_and_the_driver_by_its_log(self):
        self.assertIn("container_1_0001_01_000002/stderr.gz", self.parser.get_master_logfile())
        self.assertEqual(self.parser.get_master_logparser().id, "2")
        self.assertEqual([parser.id for parser in self.parser.get_executor_logparsers()], ["1", "3", "4"])

    def test_the_drivers_log_gives_jobs_stages_and_tasks(self):
        self.assertEqual(len(self.parser.graph_tasks(100)), 4)
        self.assertEqual(len(self.parser.extract_stage_markers().x), 2)
        self.assertEqual(len(self.parser.extract_job_markers(9)["shapes"]), 2)
        self.assertEqual(list(self.parser.get_job_intervals()), [0])
        self.assertEqual(max(self.parser.get_active_tasks_plot().y), 2)

    def test_metrics_come_from_each_containers_output(self):
        executor = self.parser.get_executor_logparsers()[1]
        (graph,) = executor.get_metrics(["heapMemoryTotalUsed"])
        self.assertEqual(list(graph.y), [2])
        self.assertEqual(self.parser.get_maxima()["heapMemoryTotalUsed"], 2)

    def test_errors_of_all_containers_are_there_once_newest_first(self):
        errors = self.parser.extract_errors()
        file, lines = errors[0]
        self.assertIn("container_1_0001_01_000003", file)
        self.assertEqual(lines, [at(33, "ERROR BlockManager:1 - gone 3")])
        self.assertEqual(sum("BlockManager" in lines[0] for _, lines in errors), 1)

    def test_a_folder_without_a_driver_or_with_several_applications_says_so(self):
        with self.assertRaisesRegex(ValueError, "stderr"):
            AppParser(self.folder / "nothing")
        self.write("application_1_0002/container_1_0002_01_000001/stderr", *DRIVER_LOG)
        with self.assertRaisesRegex(ValueError, "application_1_0001, application_1_0002"):
            AppParser(self.folder)
        with self.assertRaisesRegex(ValueError, "no driver log among 1 logs"):
            AppParser(self.folder / "application_1_0001" / "container_1_0001_01_000001")


class GoldenTest(unittest.TestCase):
    def test_jobs_tasks_and_errors_are_the_originals_within_a_second(self):
        for name, expected in golden().items():
            if "tasks" not in expected:
                continue
            with self.subTest(name):
                parser = SparkLogParser(shared(name))
                self.assertEqual(parser.application_name, expected["app"])
                intervals = parser.extract_task_intervals()
                tasks = {tuple(key): interval for key, interval in expected["tasks"]}
                self.assertEqual(set(intervals), set(tasks))
                jobs = {job: (start, end) for job, start, end in expected["jobs"]}
                found = [(intervals[key], tasks[key]) for key in tasks]
                found += [(parser.job_intervals[job], jobs[job]) for job in jobs]
                for (start, end), (wanted_start, wanted_end) in found:
                    self.assertAlmostEqual(start, wanted_start, delta=1000)
                    self.assertAlmostEqual(end, wanted_end, delta=1000)
                # The original glues other programs' lines to a message; the message itself is the first.
                errors = [lines[0] for lines in parser.extract_errors()]
                self.assertEqual(errors, [lines[0] for lines in expected["errors"]])
