# SPDX-License-Identifier: Apache-2.0
"""What sparkprof writes is what other tools write from the same input, and what they accept. Each test runs the other
tool where it is; it is skipped with a message where it is not.

SPARKPROF_FLAMEGRAPH_DIR names a folder with Brendan Gregg's flamegraph.pl, stackcollapse-perf.pl and difffolded.pl,
SPARKPROF_JFR_CONVERTER Maven's tools.profiler:jfr-converter, SPARKPROF_JFR a recording of async-profiler."""
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest

SPARKPROF = os.environ.get("SPARKPROF", os.path.join(os.path.dirname(__file__), "..", "..", "bin", "sparkprof"))
SCRIPTS = os.environ.get("SPARKPROF_FLAMEGRAPH_DIR", "")


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def folded(seed):
    """Stacks whose siblings share beginnings, so that the order of lines matters."""
    source = random.Random(seed)
    names = ["read", "read1", "read.x", "read(int)", "main", "a", "a b", "do_it", "Zz", "[unknown]"]
    lines = {}
    for _ in range(400):
        stack = ";".join(source.choice(names) for _ in range(source.randrange(1, 9)))
        lines[stack] = source.randrange(1, 500)
    return "".join(f"{stack} {weight}\n" for stack, weight in lines.items())


def perf_text():
    source = random.Random(3)
    symbols = ["read", "std::vector<int>::push(int)", "[unknown]", "a->b", "net/http.(*Client).Do", "Ljava/lang/Thread;.run"]
    modules = ["([kernel.kallsyms])", "(/usr/lib/libc-2.33.so)", "(/tmp/perf-12.map)", "([unknown])", "(/x (deleted))"]
    text = ""
    for sample in range(300):
        text += f"java {4000 + sample % 3} [00{sample % 2}] {1000 + sample / 1e4:.6f}:   {1000 + sample} cpu-clock:pppH: \n"
        for _ in range(source.randrange(1, 9)):
            text += f"\t{source.randrange(1 << 40):16x} {source.choice(symbols)}+0x{source.randrange(4096):x} {source.choice(modules)}\n"
        text += "\n"
    return text


def rectangles(svg):
    """x, y, width and height of every frame, in an order that does not depend on the tool."""
    frames = svg[svg.index('id="frames"'):]
    pattern = r'<rect x="([-\d.]+)" y="([-\d.]+)" width="([-\d.]+)" height="([-\d.]+)"'
    return sorted(tuple(map(float, match)) for match in re.findall(pattern, frames))


class ProfileFormatsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def script(self, name):
        path = os.path.join(SCRIPTS, name)
        if not SCRIPTS or not os.path.exists(path) or not shutil.which("perl"):
            self.skipTest(f"no {name}: SPARKPROF_FLAMEGRAPH_DIR names a folder with it")
        return path

    def test_frames_are_where_flamegraph_pl_puts_them(self):
        script = self.script("flamegraph.pl")
        for options in ([], ["--inverted"], ["--width", "800", "--minwidth", "2"], ["--subtitle", "x"], ["--reverse"]):
            path = self.write("a.folded", folded(1))
            theirs = rectangles(run("perl", script, *options, path))
            ours = rectangles(run(SPARKPROF, "flame", path, "--format", "svg", *options))
            self.assertEqual(len(ours), len(theirs), options)
            for mine, other in zip(ours, theirs):
                for a, b in zip(mine, other):
                    self.assertLessEqual(abs(a - b), 0.5, (options, mine, other))

    def test_perf_script_is_folded_as_stackcollapse_perf_does(self):
        script = self.script("stackcollapse-perf.pl")
        path = self.write("perf.txt", perf_text())
        theirs = run("perl", script, path).splitlines()
        ours = run(SPARKPROF, "flame", path, "--format", "collapsed").splitlines()
        self.assertEqual(sorted(ours), sorted(theirs))

    def test_jfr_is_folded_as_async_profilers_converter_does(self):
        jar, recording = os.environ.get("SPARKPROF_JFR_CONVERTER", ""), os.environ.get("SPARKPROF_JFR", "")
        if not os.path.exists(jar) or not os.path.exists(recording) or not shutil.which("java"):
            self.skipTest("SPARKPROF_JFR_CONVERTER and SPARKPROF_JFR do not name the converter and a recording")
        output = os.path.join(self.folder.name, "peer.collapsed")
        compared = 0
        for event in ("cpu", "wall", "alloc", "lock"):
            run("java", "-jar", jar, f"--{event}", "--dot", "-o", "collapsed", recording, output)
            theirs = {}
            with open(output, encoding="utf-8") as file:
                for line in file:
                    # Endings say how a method was compiled; sparkprof adds those up.
                    stack, count = re.sub(r"_\[[0-9jik]\]", "", line.rstrip("\n")).rsplit(" ", 1)
                    theirs[stack] = theirs.get(stack, 0) + int(count)
            if not theirs:
                continue
            compared += 1
            ours = run(SPARKPROF, "flame", recording, "--event", event, "--counts", "--format", "collapsed")
            self.assertEqual(sorted(ours.splitlines()), sorted(f"{k} {v}" for k, v in theirs.items()), event)
        self.assertGreater(compared, 0)

    def test_two_columns_are_those_of_difffolded(self):
        script = self.script("difffolded.pl")
        before, after = self.write("a.folded", folded(1)), self.write("b.folded", folded(2))
        for ours, theirs in (([], []), (["--normalize"], ["-n"])):
            mine = run(SPARKPROF, "diff", before, after, "--format", "collapsed", *ours).splitlines()
            other = run("perl", script, *theirs, before, after).splitlines()
            self.assertEqual(sorted(mine), sorted(other))

    def test_go_reads_pprof(self):
        if not shutil.which("go"):
            self.skipTest("no go on PATH")
        path = self.write("a.folded", "main;work 30\nmain;work;inner 70\nmain 5\n")
        output = os.path.join(self.folder.name, "a.pb.gz")
        run(SPARKPROF, "convert", path, output)
        top = run("go", "tool", "pprof", "-top", "-sample_index=samples", output)
        self.assertRegex(top, r"70\s+66\.67%.*inner")
        self.assertRegex(top, r"100\s+95\.24%\s+work")


if __name__ == "__main__":
    unittest.main()
