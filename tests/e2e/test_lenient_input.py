# SPDX-License-Identifier: Apache-2.0
"""Damaged profiles of every format: an error that names file and place, exit 2 and no output without --lenient; with it
what is whole is read, and what was left out is said."""
import gzip
import pathlib
import re
import subprocess
import tempfile
import unittest

from support import REPOSITORY, SPARKPROF

HTML = b"<!DOCTYPE html>\n<canvas></canvas>\n<script>\n\tfunction f(level, left, width, type, title) {}\n"
BABAR = b"\nBABAR\tvm_1\tCPU_TRACES\t1795256429005\t9.0\tmain|Load.main:7|java.lang.Thread.run:809\n"

# format: what is whole, what is damaged, what is whole again; the frames that are read of it.
TEXTS = {
    "collapsed": (b"a;b 3\n", b"no number\n", b"a;c 4\n", {"a", "b", "c"}),
    "perf": (b"a 1 2.0: 5 cycles: \n\t1 f (/x)\n\n", b"what\n", b"a 1 2.0: 5 cycles: \n\t1 g (/x)\n\n", {"a", "f", "g"}),
    "statsd": (b"x.cpu.trace.A-b-1:7|g\n", b"x.cpu.trace.A-b-1 what\n", b"x.cpu.trace.A-c-1:7|g\n", {"A.b", "A.c"}),
    "records": (BABAR, b"BABAR\tvm_1\tCPU_TRACES\tx\n", BABAR, {"Load.main", "java.lang.Thread.run"}),
    "asprof-html": (HTML + b"f(0,0,10,3,'all')\nf(1,0,10,1,'a')\n", b"f(9,0,1,1,'x')\n", b"f(2,0,4,0,'b')\n", {"a", "b"}),
}
# Written by sparkprof and cut at three quarters: how many bytes of them are whole depends on the format.
WRITTEN = ("pprof", "otlp", "speedscope")
FOLDED = "".join(f"main;work;step{n} {n + 1}\n" for n in range(200))


class LenientInputTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def flame(self, path, *options):
        return subprocess.run([SPARKPROF, "flame", path, *options], capture_output=True, text=True, check=False)

    def check(self, content, name, *options):
        """Stacks that are read leniently; strictly nothing is."""
        path, output = self.folder / f"input.{name}", self.folder / "out.collapsed"
        path.write_bytes(content)
        strict = self.flame(path, *options, "-o", output)
        self.assertEqual(strict.returncode, 2, (name, strict))
        self.assertEqual(len(strict.stderr.splitlines()), 1, strict.stderr)
        self.assertRegex(strict.stderr, rf"^sparkprof: {re.escape(str(path))}: (line|offset|.* at byte) \d*", name)
        self.assertEqual(list(self.folder.glob("out*")), [], name)
        lenient = self.flame(path, *options, "--lenient")
        self.assertEqual(lenient.returncode, 0, (name, lenient))
        self.assertRegex(lenient.stderr, r"\d+ lines or records were left out, the first: ", name)
        return lenient.stdout

    def test_a_damaged_line_costs_itself_only(self):
        for name, (before, damage, after, frames) in TEXTS.items():
            with self.subTest(format=name):
                stacks = self.check(before + damage + after, name, "--input-format", name)
                found = {frame for line in stacks.splitlines() for frame in line.rsplit(" ", 1)[0].split(";")}
                self.assertEqual({re.sub(r":\d+$", "", frame) for frame in found}, frames)

    def test_of_a_file_that_is_cut_the_begin_is_read(self):
        whole = self.folder / "whole.folded"
        whole.write_text(FOLDED)
        for name in WRITTEN:
            with self.subTest(format=name):
                path = self.folder / f"whole.{name}"
                subprocess.run([SPARKPROF, "convert", whole, path, "--format", name], check=True)
                content = path.read_bytes()
                if content.startswith(b"\x1f\x8b"):
                    content = gzip.decompress(content)
                self.assertTrue(self.check(content[: len(content) * 95 // 100], name, "--input-format", name))

    def test_a_compressed_file_that_is_cut_is_read_up_to_there(self):
        for name, (before, _, after, _) in TEXTS.items():
            with self.subTest(format=name):
                packed = gzip.compress((before + after) + before * 2000, mtime=0)
                self.assertTrue(self.check(packed[:-12], name, "--input-format", name))

    def test_whole_chunks_of_a_jfr_that_is_cut_are_read(self):
        content = (REPOSITORY / "fuzz" / "seeds" / "jfr" / "two_chunks_and_a_cut_one.jfr").read_bytes()
        self.assertTrue(self.check(content, "jfr"))


if __name__ == "__main__":
    unittest.main()
