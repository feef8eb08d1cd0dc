# SPDX-License-Identifier: Apache-2.0
"""`sparkprof convert --records` and `sparkprof show metrics` as scripts call them."""

import csv
import io
import json
import subprocess

from sparkprof._command import find_command

from tests.support import FolderTest, jvm_record, pyspark_record

STACK = '{"stacktrace":["b","a"],"count":2,"threadName":"t"}'


class CommandTest(FolderTest):
    def run_command(self, *arguments):
        return subprocess.run([find_command(), *arguments], cwd=self.folder, capture_output=True, text=True, check=False, timeout=120)

    def output(self, *arguments):
        done = self.run_command(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def assert_complains(self, done, exit_code, part):
        """One line on standard error, nothing on standard output."""
        self.assertEqual((done.returncode, done.stdout), (exit_code, ""))
        self.assertRegex(done.stderr, r"\Asparkprof: [^\n]*\n\Z")
        self.assertIn(part, done.stderr)

    def test_folders_are_searched_and_files_known_by_content(self):
        self.write("logs/a/stdout.gz", "noise", "ConsoleOutputReporter - Stacktrace: " + STACK)
        self.write("logs/b/records", STACK, jvm_record(1, 1048576.0))
        self.write("logs/c/babar.log", "", "BABAR\tvm_1\tCPU_TRACES\t5\t3.0\tmain|a|b:1", "BABAR\tvm_1\tX\t5\t4.5\t")
        self.assertEqual(self.output("convert", "--records", "logs"), "a;b 4\nb:1 3\n")
        maxima = {row["name"]: row["maximum"] for row in json.loads(self.output("show", "metrics", "logs", "--json"))}
        self.assertEqual((maxima["heapMemoryTotalUsed"], maxima["X"]), (1048576, 4.5))

    def test_every_form_of_metrics_says_the_same(self):
        self.write("cpu.json", jvm_record(1000, 1048576.0), jvm_record(2000, 3145728.0), pyspark_record(1, 5, 1048576))
        selection = ("cpu.json", "--where", "name ~ '^heapMemoryT|pmem_rss'")
        names = self.output("show", "metrics", *selection, "--columns", "name", "--csv")
        self.assertEqual(names, "name\nheapMemoryTotalUsed\npmem_rss\n")
        rows = list(csv.DictReader(io.StringIO(self.output("show", "series", *selection, "--csv"))))
        self.assertEqual([row["value"] for row in rows], ["1048576", "3145728", "1048576"])
        wanted = {
            "name": "heapMemoryTotalUsed",
            "profiler": "JVMProfiler",
            "process": "7@host",
            "unit": "bytes",
            "time": "2000",
            "value": "3145728",
        }
        self.assertEqual({name: rows[1][name] for name in wanted}, wanted)
        metrics = json.loads(self.output("show", "metrics", *selection, "--json"))
        first = metrics[0]
        self.assertEqual((first["name"], first["times"], first["values"]), (rows[0]["name"], [1000, 2000], [1048576, 3145728]))
        self.assertEqual(first["maximum"], 3145728)
        self.assertRegex(self.output("show", "metrics", *selection), r"heapMemoryTotalUsed .* 3\.0 MiB")

    def test_details_are_not_standard(self):
        self.write("cpu.json", jvm_record(1, 1.0, vmRSS=2097152))
        standard = {row["name"]: row["standard"] for row in json.loads(self.output("show", "metrics", "cpu.json", "--json"))}
        self.assertEqual((standard["vmRSS"], standard["heapMemoryTotalUsed"]), (False, True))

    def test_damaged_records_are_counted_and_the_rest_is_read(self):
        self.write("cut.json", STACK, STACK[:30], STACK)
        done = self.run_command("convert", "--records", "cut.json")
        self.assertEqual((done.returncode, done.stdout), (0, "a;b 4\n"))
        self.assertIn("1 damaged", done.stderr)
        whole = self.write("whole.json.gz", *[STACK] * 5000)
        with open(whole, "rb") as file:
            content = file.read()
        (self.folder / "half.json.gz").write_bytes(content[: len(content) * 3 // 4])
        done = self.run_command("convert", "--records", "half.json.gz")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"\Aa;b \d+\n\Z")
        self.assertIn("half.json.gz", done.stderr)

    def test_nothing_found_exits_1_and_what_cannot_be_read_2(self):
        self.write("cpu.json", jvm_record(1, 1.0))
        self.write("stacks.json", STACK)
        self.assert_complains(self.run_command("convert", "--records", "cpu.json"), 1, "no stack records")
        self.assert_complains(self.run_command("show", "metrics", "stacks.json"), 1, "no metrics")
        self.assert_complains(self.run_command("show", "udfs", "cpu.json"), 1, "no functions")
        self.assert_complains(self.run_command("convert", "--records", "missing.json"), 2, "missing.json")
        self.assert_complains(self.run_command("show", "metrics"), 2, "INPUT")
        self.assert_complains(self.run_command("show", "metrics", "cpu.json", "--csv", "--json"), 2, "--csv")
        self.write("job.log", "19/02/23 18:48:45 INFO Executor: hello")
        self.assert_complains(self.run_command("convert", "--records", "job.log"), 1, "no stack records")

    def test_output_goes_to_a_file_whole_or_not_at_all(self):
        self.write("stacks.json", STACK)
        self.assertEqual(self.output("convert", "--records", "stacks.json", "-o", "out.folded"), "")
        self.assertEqual((self.folder / "out.folded").read_text(), "a;b 2\n")
        self.assert_complains(self.run_command("convert", "--records", "stacks.json", "-o", "nowhere/out"), 2, "nowhere/out")
        self.assertEqual(json.loads(self.output("convert", "--records", "stacks.json", "--json")), [{"stack": ["a", "b"], "count": 2}])
