#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inputs of hostile sizes: hostile_inputs.py [--sparkprof BIN] [--folder DIR] [CASE…].

Makes a line of 200 MB (in an event log and in a text log), event logs of a million stages, jobs, queries and executors, a tree of 100,000 files,
decompression bombs (gzip in gzip, zstd, zip in zip, many layers), profiles whose stacks repeat, and a long trace, reads each, and prints wall time, peak memory and
what sparkprof said. A case fails when the command does not end as it should, does not name its limit, or needs more
memory than said here.
"""

import argparse
import functools
import gzip
import json
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
START = 1_700_000_000_000
HEAD = [
    {"Event": "SparkListenerLogStart", "Spark Version": "3.5.7"},
    {"Event": "SparkListenerApplicationStart", "App Name": "hostile", "App ID": "app-20260101000000-0001", "Timestamp": START, "User": "x"},
]
LONG = 200_000_000


def line(event):
    return json.dumps(event, separators=(",", ":")).encode() + b"\n"


def stage_event(kind, stage, **more):
    info = {
        "Stage ID": stage,
        "Stage Attempt ID": 0,
        "Stage Name": f"count at Job.scala:{stage % 100}",
        "Number of Tasks": 1,
        "Submission Time": START + stage,
        **more,
    }
    return line({"Event": f"SparkListenerStage{kind}", "Stage Info": info})


def long_event_line(path):
    with open(path / "app-20260101000000-0001", "wb") as out:
        out.writelines(line(event) for event in HEAD)
        out.write(stage_event("Submitted", 0))
        out.write(b'{"Event":"SparkListenerStageSubmitted","x":"' + b"x" * LONG + b'"}\n')
        out.write(stage_event("Submitted", 1))


def long_log_line(path):
    with open(path / "driver.log", "wb") as out:
        out.write(b"24/01/01 10:00:00 INFO SparkContext: Running Spark version 3.5.7\n")
        out.write(b"24/01/01 10:00:01 INFO Dump: " + b"x" * LONG + b"\n")
        out.write(b"24/01/01 10:00:02 ERROR Executor: the end\n")


def million_stages(path):
    with open(path / "app-20260101000000-0001", "wb") as out:
        out.writelines(line(event) for event in HEAD)
        for stage in range(1_000_000):
            out.write(stage_event("Submitted", stage))
            out.write(stage_event("Completed", stage, **{"Completion Time": START + stage + 5}))


def task_events(stage, executor="1"):
    info = {
        "Task ID": stage,
        "Index": 0,
        "Attempt": 0,
        "Partition ID": 0,
        "Launch Time": START + stage,
        "Executor ID": executor,
        "Host": "h",
        "Locality": "ANY",
        "Speculative": False,
        "Getting Result Time": 0,
        "Finish Time": 0,
        "Failed": False,
        "Killed": False,
    }
    common = {"Stage ID": stage, "Stage Attempt ID": 0}
    metrics = {
        "Executor Run Time": 4,
        "Executor CPU Time": 3_000_000 + stage,
        "Peak Execution Memory": 1,
        "Result Size": 2_000,
        "JVM GC Time": 0,
    }
    yield line({"Event": "SparkListenerTaskStart", **common, "Task Info": info})
    yield line(
        {
            "Event": "SparkListenerTaskEnd",
            **common,
            "Task Type": "ResultTask",
            "Task End Reason": {"Reason": "Success"},
            "Task Info": {**info, "Finish Time": START + stage + 5},
            "Task Metrics": metrics,
        }
    )


def job_events(job, **properties):
    """Tasks of one stage, which is not in the log."""
    yield line(
        {
            "Event": "SparkListenerJobStart",
            "Job ID": job,
            "Submission Time": START + job,
            "Stage Infos": [],
            "Stage IDs": [job],
            "Properties": properties,
        }
    )
    yield line(
        {"Event": "SparkListenerJobEnd", "Job ID": job, "Completion Time": START + job + 5, "Job Result": {"Result": "JobSucceeded"}}
    )


def event_log(events_of):
    """A log of `count` times the events of events_of(number)."""

    def make(path, count):
        with open(path / "app-20260101000000-0001", "wb") as out:
            out.writelines(line(event) for event in HEAD)
            for number in range(count):
                out.writelines(events_of(number))

    return make


def one_task_stage(stage):
    begin, end = job_events(stage)
    return [
        begin,
        stage_event("Submitted", stage),
        *task_events(stage),
        stage_event("Completed", stage, **{"Completion Time": START + stage + 5}),
        end,
    ]


def submitted_stage(stage):
    yield stage_event("Submitted", stage)


def sql_execution(number):
    name = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecution"
    plan = {
        "nodeName": "Range",
        "simpleString": f"Range ({number})",
        "children": [],
        "metadata": {},
        "metrics": [{"name": "number of output rows", "accumulatorId": number, "metricType": "sum"}],
    }
    yield line(
        {
            "Event": name + "Start",
            "executionId": number,
            "description": "count at Job.scala:1",
            "details": "",
            "time": START + number,
            "physicalPlanDescription": "Range",
            "sparkPlanInfo": plan,
        }
    )
    yield from job_events(number, **{"spark.sql.execution.id": str(number)})
    yield line({"Event": name + "End", "executionId": number, "time": START + number + 5})


def executor_events(number):
    yield line(
        {
            "Event": "SparkListenerExecutorAdded",
            "Timestamp": START + number,
            "Executor ID": str(number),
            "Executor Info": {"Host": f"host-{number % 1000}", "Total Cores": 1, "Log Urls": {}, "Attributes": {}},
        }
    )
    yield line(
        {"Event": "SparkListenerExecutorRemoved", "Timestamp": START + number + 5, "Executor ID": str(number), "Removed Reason": "idle"}
    )


def many_files(path):
    for folder in range(100):
        (path / f"{folder:02}").mkdir()
        for file in range(1000):
            text = f"24/01/01 10:00:00 INFO Executor: Running task {file}.0 in stage {folder}.0 (TID {folder * 1000 + file})\n"
            (path / f"{folder:02}" / f"{file:03}.log").write_text(text)


def blank_lines(gigabytes):
    """Only the start of an event log."""
    yield b"".join(line(event) for event in HEAD)
    for _ in range(gigabytes << 10):
        yield b"\n" * (1 << 20)


def gzip_bomb(path):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    inner = b"".join(packer.compress(block) for block in blank_lines(4)) + packer.flush()
    (path / "eventlog.gz").write_bytes(gzip.compress(inner))


def zstd_bomb(path):
    with open(path / "eventlog.zstd", "wb") as out:
        packer = subprocess.Popen(["zstd", "-q", "-c"], stdin=subprocess.PIPE, stdout=out)
        for block in blank_lines(20):
            packer.stdin.write(block)
        packer.communicate()


def zip_bomb(path):
    inner = path / "inner.zip"
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("eventlog", "w", force_zip64=True) as entry:
            for block in blank_lines(1):
                entry.write(block)
    for level in range(2):
        outer = path / f"level{level}.zip"
        with zipfile.ZipFile(outer, "w", zipfile.ZIP_DEFLATED) as archive:
            for copy in range(4):
                archive.write(inner, f"{copy}.zip")
        inner.unlink()
        inner = outer


def layers(path):
    data = b"".join(line(event) for event in HEAD)
    for _ in range(6):
        data = gzip.compress(data)
    (path / "eventlog.gz").write_bytes(data)


def varint(number):
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes(data) + bytes([number])


def field(tag, content):
    """A field of a protobuf message: a number, or bytes."""
    if isinstance(content, int):
        return varint(tag << 3) + varint(content)
    return varint(tag << 3 | 2) + varint(len(content)) + content


def pprof_profile(lines, locations, samples):
    """Samples of stacks of one location, which has lines of inlined calls."""
    pair = field(1, 1) + field(2, 2)
    tables = field(1, pair) + field(5, pair) + b"".join(field(6, text) for text in (b"", b"cpu", b"nanoseconds"))
    location = field(4, field(1, 1) + field(4, field(1, 1)) * lines)
    return tables + location + field(2, field(1, b"\x01" * locations) + field(2, b"\x05")) * samples


def pprof_file(path, **size):
    (path / "profile.pb.gz").write_bytes(gzip.compress(pprof_profile(**size)))


def long_trace(path):
    """319 MB of Chrome's trace events."""
    with open(path / "trace.json", "w") as out:
        out.write('{"traceEvents":[')
        for call in range(2_900_000):
            out.write(
                f'{{"name":"f{call % 5000}","cat":"x","ph":"X","ts":{1_700_000_000_000_000 + 3 * call},"dur":2,'
                f'"pid":1234,"tid":{call % 8},"args":{{"line":{call % 100}}}}},\n'
            )
        out.write("{}]}")


# generator; command; exit code; required text in standard error or output; maximum MiB
CASES = {
    "long-event-line": (long_event_line, ["show stages", "--json"], 0, "1 too long", 300),
    "long-log-line": (long_log_line, ["logs", "--errors"], 0, "--max-line", 300),
    "one-task-stages": (functools.partial(event_log(one_task_stage), count=1_000_000), ["analyze"], 0, "", 1200),
    "three-million-stages": (functools.partial(event_log(submitted_stage), count=3_000_000), ["analyze"], 0, "the limit", 2500),
    "million-jobs": (functools.partial(event_log(job_events), count=1_000_000), ["analyze"], 0, "", 1200),
    "million-queries": (functools.partial(event_log(sql_execution), count=1_000_000), ["analyze"], 0, "", 2000),
    "million-executors": (functools.partial(event_log(executor_events), count=1_000_000), ["analyze"], 0, "", 1200),
    "million-stages": (million_stages, ["show stages", "--json", "--limit", "3"], 0, "", 1500),
    "many-files": (many_files, ["analyze", "--no-report", "--json"], 0, "", 1500),
    "many-files-limit": (many_files, ["analyze", "--no-report", "--max-files", "1000"], 0, "--max-files", 1500),
    "gzip-bomb": (gzip_bomb, ["show tasks", "--json"], 0, "--max-ratio", 300),
    "zstd-bomb": (zstd_bomb, ["show tasks", "--json"], 0, "--max-ratio", 300),
    "zip-bomb": (zip_bomb, ["show stages", "--json"], None, "--max-ratio", 1500),
    "inlined-calls": (
        functools.partial(pprof_file, lines=100_000, locations=1, samples=200_000),
        ["flame", "-o", os.devnull],
        2,
        "too large",
        300,
    ),
    "deep-stack": (functools.partial(pprof_file, lines=1, locations=32 << 20, samples=1), ["flame", "-o", os.devnull], None, "", 2000),
    "long-trace": (long_trace, ["flame", "-o", os.devnull], 0, "", 300),
    "layers": (layers, ["show tasks", "--json"], 2, "--max-layers", 300),
}


def run(sparkprof, folder, arguments):
    verb, *rest = arguments
    with tempfile.TemporaryFile() as said:
        begin = time.monotonic()
        process = subprocess.Popen([sparkprof, *verb.split(), str(folder), *rest], stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        said.seek(0)
        text = said.read().decode(errors="replace")
    return os.waitstatus_to_exitcode(status), text, wall, usage.ru_maxrss // 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help=", ".join(CASES))
    parser.add_argument("--sparkprof", default=str(ROOT / "bin" / "sparkprof"))
    parser.add_argument("--folder", help="where inputs are made, a few GB for a short time")
    options = parser.parse_args()
    failed = 0
    for name in options.cases or CASES:
        make, arguments, expected, named, most_mib = CASES[name]
        folder = pathlib.Path(tempfile.mkdtemp(dir=options.folder))
        try:
            # in a process of its own, because its peak memory would count for the command started after it
            maker = multiprocessing.Process(target=make, args=(folder,))
            maker.start()
            maker.join()
            size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
            code, text, wall, mib = run(options.sparkprof, folder, arguments)
        finally:
            shutil.rmtree(folder)
        problems = [] if expected in (None, code) else [f"ended with {code}, not {expected}"]
        problems += [] if named in text else [f"did not say {named}"]
        problems += [] if mib <= most_mib else [f"more than {most_mib} MiB"]
        about = next((said for said in text.splitlines() if named and named in said), "")
        print(
            f"{name}: {size:.1f} MB, {wall:.2f} s, peak {mib} MiB, exit {code}; {about[:200]}"
            f"{' FAILED: ' + '; '.join(problems) if problems else ''}",
            flush=True,
        )
        failed += bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
