# SPDX-License-Identifier: Apache-2.0
"""How sparkprof reads the files of other projects, compared with independent readers; `scripts/check corpora` runs it.

Prints one line per file: equal (stacks and weights are those of the peer), read (no peer for the format here), differs, or refused
(with sparkprof's message). Peers: jfr-converter and the JDK's API for JFR, `go tool pprof` for pprof, stackcollapse-perf.pl or inferno for perf script;
collapsed stacks are added up here."""

import argparse
import collections
import contextlib
import gzip
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import PEERS, REPOSITORY, SPARKPROF  # noqa: E402
from test_jfr_recorders import TYPES  # noqa: E402

SECONDS = 120  # for one command
# jfr-converter's option for each event; without one it adds up all execution samples, which --cpu takes from async-profiler only.
JFR_OPTIONS = {"cpu": ["--cpu", ""], "malloc": ["--nativemem"], "method": ["--trace"]}
JFR_TYPES = {event: TYPES[event] for event in ("cpu", "cpu-time", "wall", "alloc", "live", "lock", "method")}
# The events that sparkprof has in ns and bytes.
PPROF_UNITS = {
    "microsecond": 10**3,
    "u": 10**3,
    "millisecond": 10**6,
    "m": 10**6,
    "second": 10**9,
    "": 10**9,
    "kilobyte": 1 << 10,
    "kb": 1 << 10,
    "megabyte": 1 << 20,
    "mb": 1 << 20,
}


class Refused(Exception):
    pass


def run(*command, data=None):
    done = subprocess.run([str(part) for part in command], input=data, capture_output=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {done.returncode}"]
        raise Refused(lines[-1][:200])
    return done.stdout.decode(errors="replace")


def add_up(lines):
    stacks = collections.Counter()
    for line in lines:
        stack, separator, weight = line.rstrip("\n").rpartition(" ")
        if separator and stack:
            stacks[stack] += float(weight)
    return stacks


def ours(path, event):
    return add_up(run(SPARKPROF, "flame", path, "--event", event, "--counts", "--format", "collapsed").splitlines())


def content(path):
    data = path.read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def jfr_stacks(path, event, folder):
    """By jfr-converter, one for each option that can mean the event. How a method was compiled is not part of a stack."""
    jar = PEERS / "jfr-converter.jar"
    if not jar.exists() or not shutil.which("java"):
        return None
    plain, output = folder / "plain.jfr", folder / "peer.collapsed"
    plain.write_bytes(content(path))
    found = []
    for option in JFR_OPTIONS.get(event, [f"--{event}"]):
        run("java", "-jar", jar, *([option] if option else []), "--dot", "-o", "collapsed", plain, output)
        text = re.sub(r"_\[[0-9jik]\]", "", output.read_text(encoding="utf-8", errors="replace"))
        found.append(add_up(text.splitlines()))
    return found


def jdk_counts(path, event, folder):
    """How many records the JDK's API sees, which jfr-converter adds up differently: it leaves out samples without a stack, and counts
    an allocation twice that two recorders saw."""
    plain = folder / "plain.jfr"
    plain.write_bytes(content(path))
    sums = REPOSITORY / "src" / "formats" / "jfr" / "testing" / "Sums.java"
    counts = {line.split()[0]: int(line.split()[1]) for line in run("java", sums, plain).splitlines()}
    count = sum(counts.get(name, 0) for name in JFR_TYPES.get(event, []))
    return counts.get("jdk.ObjectAllocationSample", 0) if event == "alloc" and count == 0 else count


def pprof_stacks(path, event, folder):
    """By `go tool pprof -raw`: "Samples:" has the values and locations of each sample, "Locations" their functions. It cuts and
    rewrites some names, so a second answer has the sum only."""
    if not shutil.which("go"):
        return None
    lines = iter(run("go", "tool", "pprof", "-raw", path).splitlines())
    types, samples, functions, section, number = [], [], collections.defaultdict(list), "", ""
    for line in lines:
        if line in ("Samples:", "Locations", "Mappings"):
            section = line
        elif section == "Samples:" and not types:
            types = [(name, unit.removesuffix("[dflt]")) for name, unit in re.findall(r"(\S.*?)/(\S+)", line)]
        elif section == "Samples:" and re.match(r"\s*[-\d]", line):
            values, _, locations = line.partition(":")
            samples.append((values.split(), locations.split()))
        elif section == "Locations":
            location = re.match(r"\s*(\d+): (0x[0-9a-f]+) (?:M=\d+ )?(.*)", line)
            number, address = location.groups()[:2] if location else (number, "")
            functions[number].append(
                re.sub(r" ?\S*:-?\d+(:\d+)? s=-?\d+(\(.*\))?$", "", (location[3] if location else line).strip()) or address
            )
    del folder
    stacks = collections.Counter()
    column = [name for name, unit in types].index(event)
    scale = PPROF_UNITS.get(types[column][1].rstrip("s"), 1)
    for values, locations in samples:
        frames = [name for number in reversed(locations) for name in reversed(functions[number]) if name]
        stacks[";".join(frames)] += int(values[column]) * scale
    return [stacks, collections.Counter({"": sum(stacks.values())})]


def perf_stacks(path, event, folder):
    script, inferno = (PEERS / "flamegraph" / "stackcollapse-perf.pl", PEERS / "inferno" / "bin" / "inferno-collapse-perf")
    plain = folder / "plain.txt"
    plain.write_bytes(content(path))
    found, filters = [], [[], ["--event-filter", event], ["--event-filter", event.split(":")[0]]]
    if script.exists() and shutil.which("perl"):
        found += [add_up(run("perl", script, *only, plain).splitlines()) for only in filters]
    if inferno.exists():
        found += [add_up(run(inferno, *only, plain).splitlines()) for only in filters]
    return found or None


def collapsed_stacks(path, event, folder):
    del folder
    if event in ("before", "after"):  # two weights in a line, a comparison
        return None
    data = content(path)
    lines = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", errors="replace").splitlines()
    return [add_up(lines)]


READERS = {"jfr": jfr_stacks, "pprof": pprof_stacks, "legacy-pprof": pprof_stacks, "perf": perf_stacks, "collapsed": collapsed_stacks}


def add_up_as(stacks, name):
    named = collections.Counter()
    for stack, weight in stacks.items():
        named[name(stack)] += weight
    return named


def difference(theirs, mine):
    if theirs.keys() == {""}:
        mine = {"": sum(mine.values())}
    # A ";" in a frame's name cannot be told from one between frames.
    theirs, mine = (add_up_as(stacks, lambda stack: re.sub("[;:]", ";", stack) or "[unknown]") for stacks in (theirs, mine))
    # Weights are written as integers.
    if abs(sum(theirs.values()) - sum(mine.values())) >= 1:
        return f"weight {sum(mine.values()):.10g}, the peer's is {sum(theirs.values()):.10g}"
    for stack in theirs.keys() | mine.keys():
        if abs(theirs.get(stack, 0) - mine.get(stack, 0)) >= 1:
            return f"{stack[-120:]}: {mine.get(stack, 0):.10g}, the peer's is {theirs.get(stack, 0):.10g}"
    return ""


def difference_of(path, event, kind, folder):
    """Empty when a peer has the same; None without a peer."""
    try:
        peers = READERS[kind](path, event["name"], folder)
        if peers is None:
            return None
        mine = ours(path, event["name"]) if event["weight"] else collections.Counter()
        reason = min((difference(theirs, mine) for theirs in peers), key=len)
    except Refused as error:
        reason = f"the peer refuses it: {error}"
    except ValueError as error:  # the peer's output is not what this reads
        reason = f"the peer's output cannot be compared: {error}"
    if reason and kind == "jfr":
        with contextlib.suppress(Refused):
            if jdk_counts(path, event["name"], folder) == event["count"]:
                return ""
    return reason


def compare(path):
    """(status, format, reason)"""
    try:
        info = json.loads(run(SPARKPROF, "info", "--json", path))
    except Refused as error:
        return "refused", "", str(error)
    reader, reasons, compared = READERS.get(info["format"]), [], 0
    for event in info["events"] if reader else []:
        with tempfile.TemporaryDirectory() as folder:
            reason = difference_of(path, event, info["format"], pathlib.Path(folder))
        compared += reason is not None
        if reason:
            reasons.append(f"{event['name']}: {reason}")
    status = "differs" if reasons else "equal" if compared else "read"
    return status, info["format"], "; ".join(reasons) or f"{sum(event['count'] for event in info['events'])} samples"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="+", type=pathlib.Path)
    parser.add_argument("--largest", type=int, default=512, metavar="MiB", help="leave out larger files (default: 512)")
    arguments = parser.parse_args()
    totals = collections.Counter()
    for folder in arguments.folder:
        files = [folder] if folder.is_file() else sorted(path for path in folder.rglob("*") if ".git" not in path.parts)
        for path in files:
            if not path.is_file() or path.stat().st_size > arguments.largest << 20:
                continue
            try:
                status, kind, reason = compare(path)
            except subprocess.TimeoutExpired as error:
                status, kind, reason = "differs", "", f"{pathlib.Path(error.cmd[0]).name} took longer than {SECONDS} s"
            totals[status] += 1
            print(f"{status:8} {kind:12} {path}: {reason}", flush=True)
    print(", ".join(f"{count} {status}" for status, count in sorted(totals.items())) or "no files")
    sys.exit(totals["differs"] > 0)


if __name__ == "__main__":
    main()
