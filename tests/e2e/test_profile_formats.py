# SPDX-License-Identifier: Apache-2.0
"""The output of sparkprof equals that of other tools from the same input, and they accept it. Each test runs the other
tool where it is, and is skipped with a message where it is not: scripts/setup peers installs them (make test-all does)."""

import contextlib
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess

from support import DEADLINE, PEERS, REPOSITORY, SPARKPROF, TestCase, execute, report_data, sparkprof, stacks_of, weight_of

PROGRAMS = REPOSITORY / "tests" / "jvm"

# Decodes OTLP with the project's own messages and prints each sample's stack, root first, values and threads.
DECODE_OTLP = """
import json, sys
from opentelemetry.proto.profiles.v1development.profiles_pb2 import ProfilesData
data = ProfilesData.FromString(open(sys.argv[1], "rb").read())
words = data.dictionary.string_table
assert words[0] == "", "the first string says nothing"
rows = []
for profile in (p for r in data.resource_profiles for s in r.scope_profiles for p in s.profiles):
    kind = [words[profile.sample_type.type_strindex], words[profile.sample_type.unit_strindex]]
    for sample in profile.samples:
        frames = []
        for location in data.dictionary.stack_table[sample.stack_index].location_indices:
            for line in data.dictionary.location_table[location].lines:
                function = data.dictionary.function_table[line.function_index]
                frames.append(words[function.name_strindex])
        rows.append([";".join(reversed(frames)), kind, sum(sample.values)])
print(json.dumps(rows))
"""


def run(*command, **options):
    return execute(*command, **options).stdout


def folded(seed):
    """Stacks whose siblings share beginnings, so that the order of lines matters."""
    source = random.Random(seed)
    names = ["read", "read1", "read.x", "read(int)", "main", "a", "a b", "do_it", "Zz", "[unknown]", "f at 0x1fAb"]
    lines = {}
    for _ in range(400):
        stack = ";".join(source.choice(names) for _ in range(source.randrange(1, 9)))
        lines[stack] = source.randrange(1, 500)
    return "".join(f"{stack} {weight}\n" for stack, weight in lines.items())


MODULES = ["([kernel.kallsyms])", "(/usr/lib/libc-2.33.so)", "(/tmp/perf-12.map)", "([unknown])"]


def perf_text(modules):
    source = random.Random(3)
    symbols = ["read", "std::vector<int>::push(int)", "[unknown]", "a->b", "net/http.(*Client).Do", "Ljava/lang/Thread;.run"]
    text = ""
    for sample in range(300):
        text += f"java {4000 + sample % 3} [00{sample % 2}] {1000 + sample / 1e4:.6f}:   {1000 + sample} cpu-clock:pppH: \n"
        for _ in range(source.randrange(1, 9)):
            text += f"\t{source.randrange(1 << 40):16x} {source.choice(symbols)}+0x{source.randrange(4096):x} {source.choice(modules)}\n"
        text += "\n"
    return text


def rectangles(svg):
    """x, y, width and height of every frame, in an order that does not depend on the tool."""
    frames = svg[svg.index('id="frames"') :]
    pattern = r'<rect x="([-\d.]+)" y="([-\d.]+)" width="([-\d.]+)" height="([-\d.]+)"'
    return sorted(tuple(map(float, match)) for match in re.findall(pattern, frames))


def flame(*arguments):
    return run(SPARKPROF, "flame", *arguments, "--format", "collapsed")


def samples(collapsed, part=""):
    return weight_of(stacks_of(collapsed), part)


class ProfileFormatsTest(TestCase):
    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def assert_same_lines(self, ours, theirs, *what):
        self.assertEqual(sorted(ours.splitlines()), sorted(theirs.splitlines()), *what)

    def converted(self, recording, *options):
        """{stack: count} by the converter of async-profiler. Endings say how a method was compiled; sparkprof adds those up."""
        output = self.folder / "peer.collapsed"
        run("java", "-jar", self.peer("jfr-converter.jar", runner="java"), *options, "-o", "collapsed", recording, output)
        return stacks_of(re.sub(r"_\[[0-9jik]\]", "", output.read_text(encoding="utf-8")))

    def peer(self, *path, runner=None):
        """A tool of setup-peers, and what runs it."""
        tool = PEERS.joinpath(*path)
        if not tool.exists():
            self.skipTest(f"no {path[-1]}: run scripts/setup peers")
        if runner and not shutil.which(runner):
            self.skipTest(f"no {runner} on PATH")
        return str(tool)

    def script(self, name):
        return self.peer("flamegraph", name, runner="perl")

    def test_frames_are_where_flamegraph_pl_puts_them(self):
        script = self.script("flamegraph.pl")
        path = self.write("a.folded", folded(1))
        for options in ("", "--inverted", "--width 800 --minwidth 2", "--subtitle x", "--reverse", "--flamechart", "--total 200000"):
            theirs = rectangles(run("perl", script, *options.split(), path))
            ours = rectangles(run(SPARKPROF, "flame", path, "--format", "svg", *options.split()))
            self.assertEqual(len(ours), len(theirs), options)
            for mine, other in zip(ours, theirs):
                for a, b in zip(mine, other):
                    self.assertLessEqual(abs(a - b), 0.5, (options, mine, other))

    def test_perf_script_is_folded_as_stackcollapse_perf_does(self):
        script = self.script("stackcollapse-perf.pl")
        path = self.write("perf.txt", perf_text(MODULES))
        self.assert_same_lines(flame(path), run("perl", script, path))

    def test_options_of_stackcollapse_perf_mean_the_same(self):
        script = self.script("stackcollapse-perf.pl")
        # With process and thread, as `perf script -F comm,pid,tid,…` prints them.
        text = re.sub(r"^java (\d+) \[", r"java 77/\1 [", perf_text(MODULES[:1] + MODULES[2:]), flags=re.MULTILINE)
        path = self.write("perf.txt", text + text.replace(" cpu-clock:pppH:", " page-faults:").replace("java ", "two words "))
        one_each = ("--kernel", "--jit", "--all", "--pid", "--tid", "--addrs", "--event-filter=cpu-clock:pppH")
        for options in (*one_each, "--all --tid", "--event-filter page-faults --pid"):
            self.assert_same_lines(flame(path, *options.split()), run("perl", script, *options.split(), path), options)
        self.assertEqual(run(SPARKPROF, "flame", path, "--event", "cpu-clock"), run(SPARKPROF, "flame", path))
        # perf prints none below frames without symbols; the script wants one for each of "a" and "b" in "a->b".
        lines = itertools.cycle(["  main.cpp:12", "  libc-2.33.so[27b25]", "  [kernel.kallsyms][ffff12]"])
        with_symbol = re.compile(r"^(\t +\w+ (?!\[unknown\]\S* \(\[unknown\]\)).*)$", re.MULTILINE)
        path = self.write("srcline.txt", with_symbol.sub(lambda frame: f"{frame[1]}\n{next(lines)}", text.replace("->", "")))
        theirs = run("perl", script, "--srcline", path)
        self.assertIn(":main.cpp:12", theirs)
        self.assert_same_lines(flame(path, "--srcline"), theirs)

    def test_perf_script_is_folded_as_inferno_does(self):
        collapse = self.peer("inferno", "bin", "inferno-collapse-perf")
        # With names in Go, the two tools differ on modules that were deleted.
        path = self.write("perf.txt", perf_text([*MODULES, "(/x (deleted))"]))
        self.assert_same_lines(flame(path), run(collapse, path))

    def test_spans_of_sparks_own_profiler_are_tasks(self):
        library, jar = os.environ.get("SPARKPROF_ASYNC_PROFILER", ""), REPOSITORY / "lib" / "sparkprof-spark.jar"
        if not os.path.exists(library) or not jar.exists() or not shutil.which("javac"):
            self.skipTest("SPARKPROF_ASYNC_PROFILER names no libasyncProfiler.so, or there is no jar or JDK")
        classes, recording = self.folder / "classes", self.folder / "spans.jfr"
        run("javac", "-cp", jar, "-d", classes, PROGRAMS / "spans" / "TaskSpans.java")
        run("java", f"-agentpath:{library}=start,event=ctimer,interval=2ms,jfr,file={recording}", "-cp", f"{jar}:{classes}", "TaskSpans")

        def weights(*options):
            collapsed = flame(recording, *options)
            return [samples(collapsed, f"TaskSpans.{name}") for name in ("first", "second")]

        first, second = weights()
        # How many a second of CPU gives changes with what else the machine does.
        self.assertGreater(min(first, second), 20)
        self.assertGreater(first, second)
        for options, wanted in (
            (["--task", "11"], (first, 0)),
            (["--task", "12"], (0, second)),
            (["--stage", "3"], (first, second)),
            (["--stage", "3.1"], (0, second)),
        ):
            for ours, expected in zip(weights(*options), wanted):
                # A sample on the edge of a span may be either's.
                self.assertLessEqual(abs(ours - expected), 2, options)
        page = self.folder / "spans.html"
        run(SPARKPROF, "flame", recording, "-o", page)
        stages = report_data(page)["stages"]
        self.assertEqual(sorted((stage["stageId"], stage["attemptId"], stage["numTasks"]) for stage in stages), [(3, 0, 1), (3, 1, 1)])
        for least in ("1", "3000", "100000"):
            theirs = sum(self.converted(recording, "--cpu", "--dot", "--latency", least).values())
            ours = samples(sparkprof("flame", recording, "--latency", least, "--counts", code=None).stdout)
            self.assertLessEqual(abs(ours - theirs), 2, least)

    def recording(self, program, events="event=ctimer,interval=2ms,wall=20ms,alloc=10k,lock=10us"):
        """A recording by async-profiler of one of the programs in tests/jvm."""
        library = os.environ.get("SPARKPROF_ASYNC_PROFILER", "")
        if not os.path.exists(library) or not shutil.which("javac"):
            self.skipTest("SPARKPROF_ASYNC_PROFILER names no libasyncProfiler.so, or there is no JDK")
        classes, recording = self.folder / "classes", self.folder / f"{program}.jfr"
        run("javac", "-d", classes, *PROGRAMS.glob("*.java"))
        agent = f"-agentpath:{library}=start,{events},jfr,file={recording}"
        java = self.start("java", "-Xmx128m", agent, "-cp", classes, program, stdout=subprocess.PIPE)
        while java.stdout.readline() not in (b"ready\n", b""):  # the profiler has something to say before
            continue
        with contextlib.suppress(subprocess.TimeoutExpired):
            java.wait(timeout=3)
        java.terminate()
        java.wait(timeout=DEADLINE)
        java.stdout.close()
        return recording

    def test_jfr_is_folded_as_async_profilers_converter_does(self):
        compared = set()
        for program in ("Allocate", "Locking"):
            recording = self.recording(program)
            for event in ("cpu", "wall", "alloc", "lock"):
                theirs = self.converted(recording, f"--{event}", "--dot")
                if theirs:
                    compared.add(event)
                    self.assertEqual(stacks_of(flame(recording, "--event", event, "--counts")), theirs, (program, event))
        self.assertEqual(compared, {"cpu", "wall", "alloc", "lock"})

    def test_pages_of_async_profilers_converter_have_its_stacks(self):
        jar, page = self.peer("jfr-converter.jar", runner="java"), self.folder / "peer.html"
        recording = self.recording("Allocate")
        for event in ("--cpu", "--alloc"):
            theirs = self.converted(recording, event, "--total")
            self.assertTrue(theirs)
            for options in ([], ["--title", "My job"], ["--inverted"], ["--reverse", "--inverted"], ["--reverse"]):
                run("java", "-jar", jar, event, "--total", *options, "-o", "html", recording, page)
                back = ["--reverse"] if "--reverse" in options else []
                self.assertEqual(stacks_of(re.sub(r"_\[[0-9jik]\]", "", flame(page, *back))), theirs, options)
        run("java", "-jar", jar, "-o", "heatmap", recording, page)
        read = sparkprof("flame", page, code=2)
        self.assertIn("a heat map of async-profiler's converter; read the JFR", read.stderr)

    def test_recordings_of_older_async_profilers_are_read_in_full(self):
        sources = REPOSITORY / "src" / "formats" / "jfr" / "testing"
        machine = "arm64" if os.uname().machine == "aarch64" else "x64"
        libraries = sorted(PEERS.glob(f"async-profiler-*/linux-{machine}/libasyncProfiler.so"))
        if not libraries or not shutil.which("java"):
            self.skipTest("no async-profiler-*: run scripts/setup peers; or no java on PATH")
        recording = self.folder / "old.jfr"
        for library in libraries:
            for engine, events in (("wall", ["jdk.ExecutionSample", "profiler.WallClockSample"]), ("cpu", ["jdk.ExecutionSample"])):
                option = "itimer" if engine == "cpu" else engine
                options = f"event={option},interval=5ms,alloc=64k,live,lock=100us,jfr,file={recording}"
                run("java", f"-agentpath:{library}=start,{options}", sources / "Work.java")
                sums = {}
                for line in run("java", sources / "Sums.java", recording).splitlines():
                    name, count, weight = line.split()
                    sums[name] = (int(count), int(weight))
                for event, types in (
                    (engine, events),
                    ("live", ["profiler.LiveObject"]),
                    ("alloc", ["jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB"]),
                    ("lock", ["jdk.JavaMonitorEnter", "jdk.ThreadPark"]),
                ):
                    # A batch of wall-clock samples weighs its number.
                    weighed = event in ("live", "alloc", "lock")
                    theirs = sum(sums[name][1 if weighed or "Wall" in name else 0] for name in types if name in sums)
                    self.assertGreater(theirs, 0, (str(library), event))
                    # Ticks become ns, rounded for each record.
                    tolerance = sum(sums[name][0] for name in types if name in sums) if event == "lock" else 0
                    ours = samples(flame(recording, "--event", event))
                    self.assertAlmostEqual(ours, theirs, delta=tolerance, msg=f"{library}: {event}")

    def test_leaks_are_those_of_async_profilers_converter(self):
        recording = self.recording("AllocateNative", events="nativemem=10k")
        for options in ("--leak", "--leak --tail 0", "--leak --tail 0.5", ""):
            theirs = self.converted(recording, "--nativemem", "--dot", *options.split())
            self.assertEqual(stacks_of(flame(recording, "--nativemem", "--counts", *options.split())), theirs, options)
        self.assertGreater(len(theirs), 3)

    def test_two_columns_are_those_of_difffolded(self):
        script = self.script("difffolded.pl")
        before, after = self.write("a.folded", folded(1)), self.write("b.folded", folded(2))
        for ours, theirs in (([], []), (["--normalize"], ["-n"]), (["-s"], ["-s"]), (["-n", "-s"], ["-ns"])):
            mine = run(SPARKPROF, "diff", before, after, "--format", "collapsed", *ours)
            self.assert_same_lines(mine, run("perl", script, *theirs, before, after))

    def test_two_columns_are_those_of_inferno(self):
        difference = self.peer("inferno", "bin", "inferno-diff-folded")
        before, after = self.write("a.folded", folded(1)), self.write("b.folded", folded(2))
        for ours, theirs in (([], []), (["--normalize"], ["-n"])):
            mine = run(SPARKPROF, "diff", before, after, "--format", "collapsed", *ours)
            self.assert_same_lines(mine, run(difference, *theirs, before, after))

    def test_firefox_profiler_reads_its_format(self):
        # Its own code loads, checks and adds up the profile.
        client = self.peer("npm", "node_modules", "@firefox-devtools", "profiler-cli", "dist", "profiler-cli.js", runner="node")
        path, output = self.write("a.folded", folded(1)), self.folder / "a.firefox.json"
        run(SPARKPROF, "convert", path, output)
        sessions = self.folder / "sessions"
        environment = os.environ | {"PROFILER_CLI_SESSION_DIR": str(sessions), "PROFILER_CLI_NO_SYMBOLICATE": "1"}
        ask = lambda *words: run("node", client, *words, env=environment)
        self.addCleanup(execute, "node", client, "stop", "--all", code=None, env=environment)
        # It waits half a second for its own daemon, which is not enough on a busy machine.
        for _ in range(10):
            loaded = execute("node", client, "load", output, code=None, env=environment)
            if "did not become ready" not in loaded.stderr:
                break
            for pid in re.findall(r"running as pid (\d+)", loaded.stderr):
                os.kill(int(pid), signal.SIGKILL)
        self.assertEqual(loaded.returncode, 0, loaded.stderr)
        functions = json.loads(ask("thread", "functions", "--json", "--limit", "1000"))["functions"]
        theirs = {function["name"]: (function["totalSamples"], function["selfSamples"]) for function in functions}
        ours = {}
        for stack, weight in stacks_of(folded(1)).items():
            frames = stack.split(";")
            for name in set(frames):
                total, own = ours.get(name, (0, 0))
                ours[name] = (total + weight, own + (weight if name == frames[-1] else 0))
        self.assertEqual(theirs, ours)

    def test_otlp_is_what_its_messages_say(self):
        python = self.peer("python", "bin", "python")
        path, output = self.write("a.folded", folded(1)), self.folder / "a.otlp"
        run(SPARKPROF, "convert", path, output)
        rows = json.loads(run(python, "-c", DECODE_OTLP, output))
        self.assertEqual({tuple(kind) for _, kind, _ in rows}, {("samples", "count")})
        self.assertEqual(sorted(f"{stack} {value}" for stack, _, value in rows), sorted(folded(1).splitlines()))

    def test_go_reads_pprof(self):
        if not shutil.which("go"):
            self.skipTest("no go on PATH")
        path = self.write("a.folded", "main;work 30\nmain;work;inner 70\nmain 5\n")
        output = self.folder / "a.pb.gz"
        run(SPARKPROF, "convert", path, output)
        top = run("go", "tool", "pprof", "-top", "-sample_index=samples", output)
        self.assertRegex(top, r"70\s+66\.67%.*inner")
        self.assertRegex(top, r"100\s+95\.24%\s+work")
