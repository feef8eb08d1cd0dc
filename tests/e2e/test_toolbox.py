# SPDX-License-Identifier: Apache-2.0
"""The flame-graph toolbox as people use it: pipes, folders, odd names, outputs that cannot be written, formats mixed."""
import gzip
import json
import os
import shutil
import subprocess
import unittest
import xml.dom.minidom

from support import DEADLINE, REPOSITORY, SPARKPROF, TestCase, report_data

JFR = REPOSITORY / "fuzz" / "seeds" / "jfr" / "async_profiler.jfr"
# What comes back of what was written.
KEEPING = {"collapsed": "x.folded", "pprof": "x.pb.gz", "speedscope": "x.speedscope.json", "otlp": "x.otlp"}
NAMES = 'main;Größe;日本語 🔥;a b c;"q"<&>;std::map<int, char>::find 5\nmain;[unknown] 3\n'


class ToolboxTest(TestCase):
    def run_with(self, *arguments, **options):
        return subprocess.run([SPARKPROF, *map(str, arguments)], capture_output=True, timeout=DEADLINE, check=False,
                              **{"text": True, "cwd": self.folder, **options})

    def stacks(self, *arguments, **options):
        result = self.run_with("flame", *arguments, **options)
        self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)
        return sorted(result.stdout.splitlines())

    def assert_refused(self, part, *arguments, code=2, **options):
        before = sorted(os.listdir(self.folder))
        result = self.run_with(*arguments, **options)
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (code, 1), result)
        self.assertIn(part, result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def write(self, name, content):
        path = self.folder / name
        path.write_text(content, encoding="utf-8")
        return path

    def test_formats_keep_stacks_weights_names_and_the_event_that_is_shown(self):
        for source in (JFR, self.write("names.folded", NAMES)):
            wanted = self.stacks(source)
            for name, file in KEEPING.items():
                with self.subTest(source=source.name, format=name):
                    self.assertEqual(self.run_with("convert", source, file).returncode, 0)
                    self.assertEqual(self.stacks(file), wanted)
                    # The same profile has not changed, whatever a format knows about frames.
                    for sides in ((source, file), (file, source)):
                        result = self.run_with("diff", *sides, "--fail-above", 0)
                        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
                    for other in KEEPING.values():
                        self.assertEqual(self.run_with("convert", file, f"again.{other}").returncode, 0)
                        self.assertEqual(self.stacks(f"again.{other}"), wanted, other)

    def test_names_of_all_kinds_are_written_well_formed(self):
        path = self.write("odd 'näme; $x.folded", NAMES)
        for name in ("svg", "html", "json", "firefox"):
            self.assertEqual(self.run_with("convert", path, f"odd é.{name}", "--format", name).returncode, 0)
        xml.dom.minidom.parse(str(self.folder / "odd é.svg"))
        self.assertIn("日本語 🔥", json.dumps(json.loads((self.folder / "odd é.firefox").read_text()), ensure_ascii=False))

    def test_standard_input_is_read_when_nothing_is_named(self):
        wanted = self.stacks(JFR)
        for content in (JFR.read_bytes(), gzip.compress(JFR.read_bytes())):
            for arguments in ([], ["-"]):
                result = self.run_with("flame", *arguments, input=content, text=False)
                self.assertEqual(sorted(result.stdout.decode().splitlines()), wanted)
        self.assert_refused("standard input: offset 0: empty input, expected a profile", "flame", input="")

    def test_several_files_are_one_graph(self):
        a, b = self.write("a.folded", "main;x 3\n"), self.write("b.folded", "main;x 4\nmain;y 1\n")
        self.assertEqual(self.stacks(a, b), ["main;x 7", "main;y 1"])

    def test_a_folder_of_jfr_is_its_files(self):
        folder = self.folder / "application-1"
        folder.mkdir()
        for executor in (1, 2):
            shutil.copy(JFR, folder / f"profile-exec-{executor}.jfr")
        twice = [f"{stack} {2 * int(weight)}" for stack, weight in (line.rsplit(" ", 1) for line in self.stacks(JFR))]
        self.assertEqual(self.stacks(folder), twice)

    def test_what_cannot_be_written_is_said_and_leaves_nothing(self):
        path = self.write("a.folded", "main 3\n")
        (self.folder / "folder").mkdir()
        for part, *arguments in (
            ("cannot write png", "flame", path, "-o", "x.png"),
            ("cannot create", "flame", path, "-o", "nosuch/x.svg"),
            ("directory", "flame", path, "-o", "folder"),
            ("No space left", "flame", path, "--format", "svg", "-o", "/dev/full"),
            ("unknown output format", "convert", path, "x.unknown"),
            ("not in range", "flame", path, "-o", "x.svg", "--width", 1_000_000),
            ("unknown palette", "flame", path, "-o", "x.svg", "--colors", "pink"),
            ("invalid regular expression", "flame", path, "--include", "("),
            ("nosuch: cannot open", "diff", path, "nosuch"),
            ("have no times", "heatmap", path, "-o", "x.html"),
            ("samples have no tasks", "flame", JFR, "--task", 3),
            ("has no thread states", "flame", path, "--state", "runnable"),
            ("has no freed memory", "flame", path, "--leaks"),
            ("has no durations of calls", "flame", path, "--latency", 5),
            ("has no addresses", "flame", path, "--addrs"),
            ("invalid regular expression", "flame", path, "-o", "x.svg", "--highlight", "("),
            ("requires --format svg or html", "flame", path, "--highlight", "main"),
        ):
            with self.subTest(part):
                self.assert_refused(part, *arguments)
        zero = self.write("zero.folded", "a;b 0\n")
        self.assert_refused("no samples match the options", "flame", zero, "-o", "x.svg", code=1)

    def test_options_of_other_tools_by_their_names(self):
        path = self.write("a.folded", "main;org.x.Job$$Lambda/0x7f01.apply;at 0x1F 3\nmain;b 4\n")
        for options, wanted in (
            (["--skip", 1], ["b 4", "org.x.Job$$Lambda/0x7f01.apply;at 0x1F 3"]),
            (["--skip=2"], ["at 0x1F 3"]),
            (["--norm", "-X", "^b$"], ["main;org.x.Job$$Lambda.apply;at 0x1F 3"]),
            (["--simple", "-I", "at"], ["main;Job$$Lambda/0x7f01.apply;at 0x1F 3"]),
            (["--strip-hex", "-r", "-I", "at"], ["at 0x...;org.x.Job$$Lambda/0x....apply;main 3"]),
        ):
            self.assertEqual(self.stacks(path, *options), wanted, options)
        self.assertEqual(self.stacks(JFR, "--wall"), self.stacks(JFR, "--event", "wall"))
        picture = self.run_with("flame", path, "--format", "svg", "--highlight", "b|\"<").stdout
        self.assertIn(' data-highlight="b|&quot;&lt;"', picture)
        page = self.folder / "highlight.html"
        self.run_with("flame", path, "-o", page, "--highlight", "b|c d")
        self.assertEqual(report_data(page)["startView"], "tab=flame&search=b%7Cc%20d")
        dump = self.write("dump.txt", "".join(
            f'"t{number}" #{number} prio=5 tid=0x1 nid=0x{number} {state}\n\tat a.B.{state}(B.java:1)\n\n'
            for number, state in ((1, "runnable"), (2, "waiting"))))
        self.assertEqual(self.stacks(dump, "--state", "runnable"), ["a.B.runnable 1"])
        self.assertEqual(self.stacks(dump, "--state", "sleeping", "-t"), ["[t2 tid=2];a.B.waiting 1"])
        self.assertEqual(self.stacks(dump, "--state", "runnable,sleeping"), ["a.B.runnable 1", "a.B.waiting 1"])

    def test_a_difference_that_is_too_large_is_an_exit_code(self):
        before, after = self.write("a.folded", "main;x 50\nmain;y 50\n"), self.write("b.folded", "main;x 60\nmain;y 60\n")
        self.assert_refused("main gained 20.00 %", "diff", before, after, "--fail-above", 15, "-o", "/dev/null", code=1)
        for arguments in (["--fail-above", 20], ["--normalised", "--fail-above", 1]):
            self.assertEqual(self.run_with("diff", before, after, *arguments).returncode, 0, arguments)


if __name__ == "__main__":
    unittest.main()
