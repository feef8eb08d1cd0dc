# SPDX-License-Identifier: Apache-2.0
"""Damaged profiles of every format: an error that names file and place, exit 2 and no output without --lenient; with it
what is whole is read, and what was left out is said."""

import concurrent.futures
import gzip
import random
import re

from support import REPOSITORY, TestCase, json_of, sparkprof

HTML = b"<!DOCTYPE html>\n<canvas></canvas>\n<script>\n\tfunction f(level, left, width, type, title) {}\n"
BABAR = b"\nBABAR\tvm_1\tCPU_TRACES\t1795256429005\t9.0\tmain|Load.main:7|java.lang.Thread.run:809\n"
DUMP = (
    b'Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n\n"main" #1 prio=5 tid=0x1 nid=0x1 runnable\n'
    b"   java.lang.Thread.State: RUNNABLE\n\tat Load.main(Load.java:7)\n"
)

# format: what is whole, what is damaged, what is whole again; the frames that are read of it.
TEXTS = {
    "collapsed": (b"a;b 3\n", b"no number\n", b"a;c 4\n", {"a", "b", "c"}),
    "perf": (b"a 1 2.0: 5 cycles: \n\t1 f (/x)\n\n", b"what\n", b"a 1 2.0: 5 cycles: \n\t1 g (/x)\n\n", {"a", "f", "g"}),
    "statsd": (b"x.cpu.trace.A-b-1:7|g\n", b"x.cpu.trace.A-b-1 what\n", b"x.cpu.trace.A-c-1:7|g\n", {"A.b", "A.c"}),
    "records": (BABAR, b"BABAR\tvm_1\tCPU_TRACES\tx\n", BABAR, {"Load.main", "java.lang.Thread.run"}),
    "asprof-html": (HTML + b"f(0,0,10,3,'all')\nf(1,0,10,1,'a')\n", b"f(9,0,1,1,'x')\n", b"f(2,0,4,0,'b')\n</script>\n", {"a", "b"}),
    "thread-dump": (
        DUMP,
        b"\tat Load.ma\n",
        b"\tat java.lang.Thread.run(Thread.java:809)\n\nJNI global refs: 15\n",
        {"Load.main", "java.lang.Thread.run"},
    ),
}
# Written by sparkprof and cut at three quarters: how many bytes of them are whole depends on the format.
WRITTEN = ("pprof", "otlp", "speedscope")
SEEDS = REPOSITORY / "fuzz" / "seeds"
# Something whole of the other formats.
SEEDED = {
    "jfr": "jfr/async_profiler.jfr",
    "austin": "austin/wall",
    "mojo": "mojo/version4",
    "bpftrace": "bpftrace/stacks",
    "pstats": "pstats/cprofile",
    "python-jsonl": "python_sampling/wall.jsonl",
    "legacy-pprof": "legacy_pprof/cpu64",
    "asprof-text": "asprof_text/traces",
    "call-tree": "call_tree/own",
    "firefox": "firefox/processed",
    "svg": "flame_svg/exact",
    "py-spy-dump": "py_spy_dump/threads",
    "report": "report_page/page",
    "pyroscope": "pyroscope/single",
    "trace-events": "trace_events/calls",
}
FOLDED = "".join(f"main;work;step{n} {n + 1}\n" for n in range(200))
# All messages about damage, after the file's name: the place, and what was expected there.
DAMAGE = re.compile(
    r"""(line|offset)\ \d+:\ (expected\ .|empty\ input,\ expected\ .)
    |(\w+\[\d+\]|(event|thread)\ \d+):\ expected\ .  # a place in a JSON document
    |line\ \d+:\ truncated\ or\ damaged\ record\ \(\d+\ in\ total\)
    |offset\ \d+:\ damaged\ (string\ table|type\ tree)\ of\ the\ metadata
    |offset\ \d+:\ the\ metadata\ event\ of\ \d+\ bytes\ exceeds\ the\ chunk
    |offset\ \d+:\ invalid\ (chunk\ size:\ -?\d+\ bytes;\ expected\ .|clock\ rate:\ -?\d+\ ticks\ per\ second$)
    |offset\ \d+:\ constant\ pools\ at\ -?\d+\ and\ metadata\ at\ -?\d+\ are\ outside\ the\ chunk\ of\ \d+\ bytes
    |offset\ \d+:\ unsupported\ JFR\ version\ \d+\.\d+;\ .
    |offset\ \d+:\ uncompressed\ integers\ are\ unsupported;\ .
    |offset\ \d+:\ truncated\ recording:\ the\ first\ block\ is\ incomplete
    |(truncated|damaged)\ deflated\ data\ at\ byte\ \d+$""",
    re.VERBOSE,
)


class LenientInputTest(TestCase):
    def flame(self, path, *options):
        return sparkprof("flame", path, *options, code=None)

    def check(self, content, name, *options, left_out=r"\d+ lines or records", readable=True):
        """Stacks that are read leniently; strictly nothing is."""
        path, output = self.folder / f"input.{name}", self.folder / "out.collapsed"
        path.write_bytes(content)
        strict = self.flame(path, *options, "-o", output)
        # A file without anything of the format has no answer; one that is damaged cannot be read.
        self.assertEqual(strict.returncode, 2 if readable else 1, (name, strict))
        self.assertEqual(len(strict.stderr.splitlines()), 1, strict.stderr)
        self.assertRegex(strict.stderr, rf"^sparkprof: {re.escape(str(path))}: (line|offset|.* at byte) \d*", name)
        self.assertEqual(list(self.folder.glob("out*")), [], name)
        lenient = self.flame(path, *options, "--lenient")
        if not readable:
            self.assertEqual(lenient.returncode, 1, (name, lenient))
            return ""
        self.assertEqual(lenient.returncode, 0, (name, lenient))
        self.assertRegex(lenient.stderr, rf"skipped {left_out}.*, the first: ", name)
        return lenient.stdout

    def written(self, name):
        """A profile in this format."""
        source, target = self.folder / "whole.folded", self.folder / f"whole.{name}"
        source.write_text(FOLDED)
        sparkprof("convert", source, target, "--format", name)
        return target.read_bytes()

    def test_a_damaged_line_costs_itself_only(self):
        for name, (before, damage, after, frames) in TEXTS.items():
            with self.subTest(format=name):
                stacks = self.check(before + damage + after, name, "--input-format", name)
                found = {frame for line in stacks.splitlines() for frame in line.rsplit(" ", 1)[0].split(";")}
                self.assertEqual({re.sub(r":\d+$", "", frame) for frame in found}, frames)

    def test_of_a_file_that_is_cut_the_begin_is_read(self):
        for name in WRITTEN:
            with self.subTest(format=name):
                content = self.written(name)
                if content.startswith(b"\x1f\x8b"):
                    content = gzip.decompress(content)
                self.assertTrue(self.check(content[: len(content) * 95 // 100], name, "--input-format", name))

    def test_a_compressed_file_that_is_cut_is_read_up_to_there(self):
        for name, (before, _, after, _) in TEXTS.items():
            with self.subTest(format=name):
                packed = gzip.compress((before + after) + before * 2000, mtime=0)
                self.assertTrue(self.check(packed[:-12], name, "--input-format", name))

    def test_whole_chunks_of_a_jfr_that_is_cut_are_read(self):
        content = (SEEDS / "jfr" / "two_chunks_and_a_cut_one.jfr").read_bytes()
        self.assertTrue(self.check(content, "jfr"))

    def test_whole_blocks_of_a_recording_are_read(self):
        block = (SEEDS / "segment" / "block").read_bytes()
        damaged = bytearray(block)
        damaged[-1] ^= 1
        noise = b"no block at all, and longer than a header"
        for middle, left_out in ((bytes(damaged), f"{len(block)} bytes with 1 damaged blocks"), (noise, "41 bytes with 0 damaged blocks")):
            self.assertIn("Job.burn", self.check(block + middle + block, "sprof", left_out=left_out))
        self.check(b"no block", "sprof", readable=False)

    def test_of_a_recording_whose_process_was_killed_the_whole_blocks_are_read_and_the_rest_is_said(self):
        path = self.folder / "killed.sprof"
        path.write_bytes((SEEDS / "segment" / "two_blocks_and_a_cut_one").read_bytes())
        for options in ([], ["--lenient"]):
            result = self.flame(path, *options)
            self.assertEqual((result.returncode, "Job.burn" in result.stdout), (0, True), result)
            self.assertRegex(result.stderr, r"truncated: skipped \d+ bytes")

    def test_of_a_folder_the_files_that_hold_something_are_read_and_the_others_are_said(self):
        folder = self.folder / "application"
        folder.mkdir()
        (folder / "driver.sprof").write_bytes((SEEDS / "segment" / "block").read_bytes())
        (folder / "executor.sprof").write_bytes(b"")
        result = self.flame(folder)
        self.assertEqual((result.returncode, "Job.burn" in result.stdout), (0, True), result)
        self.assertRegex(result.stderr, r"skipped a file: .*executor\.sprof: empty file, expected")

    def profiles(self):
        """Something whole of every format that is read, by the name of the format."""
        whole = {name: before * 20 + after for name, (before, _, after, _) in TEXTS.items() if name != "thread-dump"}
        whole["thread-dump"] = (DUMP + TEXTS["thread-dump"][2]) * 20
        whole |= {name: (SEEDS / path).read_bytes() for name, path in SEEDED.items()}
        whole["recording"] = (SEEDS / "segment" / "block").read_bytes() * 3
        whole |= {name: self.written(name) for name in WRITTEN}
        self.assertEqual(set(whole), {row["name"] for row in json_of("convert", "--formats")["read"]})
        return whole

    def test_whatever_is_cut_or_flipped_is_read_or_an_error_with_its_place(self):
        source = random.Random(7)
        cases = []
        for name, content in self.profiles().items():
            self.assertTrue(content)
            for _ in range(15):
                at, bit = source.randrange(len(content)), 1 << source.randrange(8)
                cases.append((name, f"cut at {at}", content[:at]))
                cases.append((name, f"{bit} flipped at {at}", content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :]))
            at = source.randrange(len(content))
            cases.append((name, f"noise at {at}", content[:at] + source.randbytes(200) + content[at + 200 :]))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            problems = [problem for problem in pool.map(self.problem_with, range(len(cases)), cases) if problem is not None]
        self.assertEqual(problems, [])

    def problem_with(self, number, case):
        """The problem of the answers to one damaged file, or None."""
        name, damage, content = case
        folder = self.folder / str(number)
        folder.mkdir()
        path, output = folder / "input", folder / "out.collapsed"
        path.write_bytes(content)
        for lenient in ([], ["--lenient"]):
            result = sparkprof("flame", path, "--input-format", name, "-o", output, *lenient, code=None, text=False)
            error = result.stderr.decode("utf-8")  # whatever bytes are in it
            files = sorted(file.name for file in folder.iterdir())
            what = (name, damage, lenient, result.returncode, error, files)
            if result.returncode not in (0, 1, 2):
                return what
            if files != (["input", "out.collapsed"] if result.returncode == 0 else ["input"]):
                return what
            if result.returncode == 2 and (len(error.splitlines()) != 1 or not DAMAGE.match(error.removeprefix(f"sparkprof: {path}: "))):
                return what
            output.unlink(missing_ok=True)
        return None
