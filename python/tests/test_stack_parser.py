# SPDX-License-Identifier: Apache-2.0
import gzip
import json
import unittest

from sparkprof import StackParser

from tests.support import FolderTest, printed, shared


def stack(frames, count, **more):
    return json.dumps({"stacktrace": frames, "count": count, **more}, separators=(",", ":"))


class StackParserTest(FolderTest):
    def files(self):
        jvm = self.write("jvm.json.gz", stack(["b", "a"], 2, threadName="x"), stack(["b", "a"], 3), stack([], 7))
        pyspark = self.write("pyspark.json", stack(["f.py:g:2", "f.py:f:1"], 5, i_d="8_id"), stack(["h.py:h:3"], 6, i_d="9_id"), "noise")
        return [jvm, pyspark]

    def test_equal_stacks_of_all_files_are_added_up(self):
        lines = printed(StackParser.convert_files, self.files()).splitlines()
        self.assertCountEqual(lines, ["a;b 5", "f.py:f:1;f.py:g:2 5", "h.py:h:3 6"])

    def test_an_id_keeps_the_jvms_stacks_and_one_rdds(self):
        for id in ("8_id", "8"):
            lines = printed(StackParser.convert_files, self.files(), id=id).splitlines()
            self.assertCountEqual(lines, ["a;b 5", "f.py:f:1;f.py:g:2 5"])

    def test_without_merge_each_record_has_its_line(self):
        self.assertEqual(printed(StackParser.convert_file, self.files()[0], merge=False), "a;b 2\na;b 3\n")

    def test_a_file_without_stacks_prints_nothing(self):
        self.assertEqual(printed(StackParser.convert_file, self.write("x.log", "19/02/23 18:48:45 INFO X: y")), "")

    def test_streams_are_opened_by_content(self):
        named_wrongly = self.write("a.gz", "text")
        plain = self.write("b", "text")
        (self.folder / "c").write_bytes(gzip.compress(b"text\n"))
        for path in (named_wrongly, plain, str(self.folder / "c")):
            with StackParser.open_stream(path) as stream:
                self.assertEqual(stream.read(), "text\n")


class GoldenTest(unittest.TestCase):
    def test_combined_stacks_are_the_originals(self):
        out = printed(StackParser.convert_file, shared("profile_slacker/CombinedStack.json.gz"))
        with gzip.open(shared("profile_slacker/CombinedStack.folded.gz"), "rt", encoding="utf-8") as folded:
            # Stopwatch also prints " 610" for the samples without a stack, which no reader of folded stacks accepts.
            originals = [line for line in folded.read().splitlines() if not line.startswith(" ")]
        self.assertCountEqual(out.splitlines(), originals)

    def test_several_files_are_the_sum(self):
        out = printed(
            StackParser.convert_files, [shared("profile_slacker/Stacktrace.json.gz"), shared("profile_slacker/s_8_stack.json.gz")]
        )
        combined = printed(StackParser.convert_file, shared("profile_slacker/CombinedStack.json.gz"))
        self.assertEqual(out, combined)
