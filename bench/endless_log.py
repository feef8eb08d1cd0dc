#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The event log of a streaming application that runs for weeks: endless_log.py make FILE GIGABYTES [--tasks N] writes one,
endless_log.py measure FILE [--recent TIME] prints what its end costs: commands with --recent, the first page of a collector
that watches its folder, and each second of events that is added. The log has a batch in each second, one in progress at its
end; `measure` adds to it. With a name that ends in .zstd.inprogress it is compressed as Spark does, with libzstd."""

import argparse
import ctypes
import functools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

from make_event_log import accumulables, task_info

ROOT = pathlib.Path(__file__).resolve().parents[1]
START_MS = 1_750_000_000_000
RUN = "0a7a6a2e-0000-4000-8000-000000000000"
SLOW_EACH = 500  # batches
HOUR = 3_600  # batches
SECONDS = 20
PAGES = 5


FRAME = b"\x28\xb5\x2f\xfd"  # the first bytes of a zstd frame
# After all other events, Spark flushes the log, which ends a frame.
NOT_FLUSHED = (b'{"Event":"SparkListenerTask', b'{"Event":"SparkListenerStageSubmitted')


class FixedSeed:
    """In place of random numbers: each batch has the same bytes but for its numbers."""

    def randrange(self, most):
        return most // 2


def dumps(event):
    return json.dumps(event, separators=(",", ":")).replace("%", "%%")


def template(tasks):
    """The events of one batch with %(name)d for what differs."""
    stage = {
        "Stage ID": "<<stage>>",
        "Stage Attempt ID": 0,
        "Stage Name": "start at Stream.scala:12",
        "Number of Tasks": tasks,
        "RDD Info": [],
        "Parent IDs": [],
        "Details": "org.apache.spark.sql.streaming.DataStreamWriter.start(DataStreamWriter.scala:251)",
        "Accumulables": [],
        "Submission Time": "<<begin>>",
    }
    properties = {
        "spark.jobGroup.id": RUN,
        "spark.job.description": f"counts\nid = {RUN}\nrunId = {RUN}\nbatch = <<batch text>>",
        "spark.sql.execution.id": "<<batch text>>",
        "sql.streaming.queryId": RUN,
    }
    plan = {
        "nodeName": "HashAggregate",
        "simpleString": "HashAggregate(keys=[value#1L], functions=[count(1)])",
        "children": [{"nodeName": "Scan", "simpleString": "Scan rate", "children": [], "metadata": {}, "metrics": []}],
        "metadata": {},
        "metrics": [],
    }
    lines = [
        {
            "Event": "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart",
            "executionId": "<<batch>>",
            "description": f"counts\nid = {RUN}\nrunId = {RUN}\nbatch = <<batch text>>",
            "details": "",
            "physicalPlanDescription": "== Physical Plan ==\n" + "HashAggregate(keys=[value#1L], functions=[count(1)])\n" * 20,
            "sparkPlanInfo": plan,
            "time": "<<begin>>",
        },
        {
            "Event": "SparkListenerJobStart",
            "Job ID": "<<batch>>",
            "Submission Time": "<<begin>>",
            "Stage Infos": [stage],
            "Stage IDs": ["<<stage>>"],
            "Properties": properties,
        },
        {"Event": "SparkListenerStageSubmitted", "Stage Info": stage, "Properties": properties},
    ]
    for index in range(tasks):
        task = task_info(f"<<task {index}>>", index, "<<begin>>", str(1 + index % 4))
        of_stage = {"Stage ID": "<<stage>>", "Stage Attempt ID": 0}
        lines.append({"Event": "SparkListenerTaskStart", **of_stage, "Task Info": task})
        lines.append(
            {
                "Event": "SparkListenerTaskEnd",
                **of_stage,
                "Task Type": "ResultTask",
                "Task End Reason": {"Reason": "Success"},
                "Task Info": {**task, "Finish Time": "<<end>>", "Accumulables": accumulables(FixedSeed())},
                "Task Executor Metrics": {},
                "Task Metrics": {
                    "Executor Deserialize Time": 5,
                    "Executor Run Time": "<<run>>",
                    "Executor CPU Time": 80_000_000,
                    "Result Size": 2_000,
                    "JVM GC Time": "<<gc>>",
                    "Shuffle Read Metrics": {"Fetch Wait Time": 0, "Local Bytes Read": 4_000, "Total Records Read": 100},
                    "Input Metrics": {"Bytes Read": 0, "Records Read": 100},
                },
            }
        )
    lines += [
        {"Event": "SparkListenerStageCompleted", "Stage Info": {**stage, "Completion Time": "<<end>>"}},
        {"Event": "SparkListenerJobEnd", "Job ID": "<<batch>>", "Completion Time": "<<end>>", "Job Result": {"Result": "JobSucceeded"}},
        {"Event": "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd", "executionId": "<<batch>>", "time": "<<end>>"},
        {
            "Event": "org.apache.spark.sql.streaming.StreamingQueryListener$QueryProgressEvent",
            "progress": {
                "id": RUN,
                "runId": RUN,
                "name": "counts",
                "timestamp": "<<time text>>",
                "batchId": "<<batch>>",
                "batchDuration": "<<duration>>",
                "durationMs": {
                    "addBatch": "<<run>>",
                    "getBatch": 2,
                    "latestOffset": 3,
                    "queryPlanning": 5,
                    "walCommit": 10,
                    "commitOffsets": 9,
                },
                "stateOperators": [{"numRowsTotal": 1000, "memoryUsedBytes": 100_000}],
                "sources": [{"numInputRows": 4000, "inputRowsPerSecond": 4000.0, "processedRowsPerSecond": 8000.0}],
            },
        },
    ]
    text = "".join(dumps(line) + "\n" for line in lines)
    for name in ("batch text", "time text"):
        text = text.replace(f"<<{name}>>", f"%({name})s")
    for name in ("batch", "stage", "begin", "end", "run", "gc", "duration", *(f"task {index}" for index in range(tasks))):
        text = text.replace(f'"<<{name}>>"', f"%({name})d")
    return text.encode()


def batch(text, number_of_batch, tasks):
    """The events of a batch. One of many is slow, because its tasks collect garbage."""
    run = 2_600 if number_of_batch % SLOW_EACH == SLOW_EACH - 1 else 500
    begin = START_MS + 1_000 * number_of_batch
    seconds, millis = divmod(begin, 1_000)
    values = {
        b"batch": number_of_batch,
        b"batch text": b"%d" % number_of_batch,
        b"time text": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)).encode() + b".%03dZ" % millis,
        b"stage": number_of_batch,
        b"begin": begin,
        b"end": begin + run,
        b"run": run,
        b"gc": 2_000 if run > 500 else 5,
        b"duration": run + 40,
    }
    for index in range(tasks):
        values[b"task %d" % index] = number_of_batch * tasks + index
    return text % values


def head():
    """The events before the first batch."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(START_MS // 1_000))
    events = [
        {"Event": "SparkListenerLogStart", "Spark Version": "4.1.1"},
        {"Event": "SparkListenerApplicationStart", "App Name": "endless", "App ID": "app-endless", "Timestamp": START_MS, "User": "bench"},
        {"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": {"spark.app.name": "endless", "spark.executor.cores": "4"}},
    ]
    for executor in range(1, 5):
        info = {"Host": "host-1", "Total Cores": 4, "Log Urls": {}, "Attributes": {}}
        events.append({"Event": "SparkListenerExecutorAdded", "Timestamp": START_MS, "Executor ID": str(executor), "Executor Info": info})
    start = {"id": RUN, "runId": RUN, "name": "counts", "timestamp": f"{stamp}.000Z"}
    events.append({"Event": "org.apache.spark.sql.streaming.StreamingQueryListener$QueryStartedEvent", **start})
    return "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events).encode()


def is_compressed(path):
    return str(path).endswith(".zstd.inprogress")


@functools.cache
def libzstd():
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compressBound.restype = library.ZSTD_compress.restype = ctypes.c_size_t
    return library


def zstd_frame(events):
    library = libzstd()
    room = library.ZSTD_compressBound(ctypes.c_size_t(len(events)))
    frame = ctypes.create_string_buffer(room)
    size = library.ZSTD_compress(frame, ctypes.c_size_t(room), events, ctypes.c_size_t(len(events)), 1)
    return frame.raw[:size]


def as_stored(path, events):
    """The bytes that Spark writes for events."""
    if not is_compressed(path):
        return events
    stored, lines = [], []
    for line in events.splitlines(keepends=True):
        lines.append(line)
        if not line.startswith(NOT_FLUSHED):
            stored.append(zstd_frame(b"".join(lines)))
            lines = []
    return b"".join(stored)


def make(path, gigabytes, tasks, repeat):
    text = template(tasks)
    events = repeated = count = 0
    first_hour = []
    with open(path, "wb", buffering=1 << 22) as out:
        out.write(as_stored(path, head()))
        while events < gigabytes * 1e9:
            added = batch(text, count, tasks)
            stored = as_stored(path, added)
            out.write(stored)
            events += len(added)
            count += 1
            if count <= HOUR:
                first_hour.append(stored)
            if count == HOUR:
                for _ in range(repeat):
                    out.writelines(first_hour)
                repeated = repeat * events
    print(f"{path}: {(events + repeated) / 1e9:.1f} GB of events, {os.path.getsize(path) / 1e9:.2f} GB, {count} batches of {tasks} tasks")


def end_of(path, size):
    with open(path, "rb") as log:
        log.seek(max(0, os.path.getsize(path) - size))
        stored = log.read()
    if not is_compressed(path):
        return stored
    return subprocess.run(["zstd", "-dc"], input=stored[stored.find(FRAME) :], check=True, stdout=subprocess.PIPE).stdout


def last_batch(path):
    """The number of batches, and of tasks in each."""
    tail = end_of(path, 1 << 20)
    count = int(tail.rpartition(b'"batchId":')[2].split(b",")[0]) + 1
    tasks = int(tail.rpartition(b'"Number of Tasks":')[2].split(b",")[0])
    return count, tasks


def run(*command):
    """Prints wall time and peak memory of a command."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{command} ended with {os.waitstatus_to_exitcode(status)}")
    print(f"{' '.join(command[1:])}: {time.monotonic() - begin:.2f} s, peak {usage.ru_maxrss / 1024:.0f} MiB", flush=True)


def memory_of(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0


def cpu_of(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def get(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read()


def next_page(url, pid):
    """Wall and CPU time of a page after the current one, which the collector serves for ten times what reading took."""
    known = None
    while True:
        begin, cpu = time.monotonic(), cpu_of(pid)
        with urllib.request.urlopen(url) as answer:
            answer.read()
            tag = answer.headers["etag"]
        if known not in (None, tag):
            return time.monotonic() - begin, cpu_of(pid) - cpu
        known = tag
        time.sleep(1)


class Growth:
    """Adds batches to a log."""

    def __init__(self, path):
        self.path = path
        self.count, self.tasks = last_batch(path)
        self.text = template(self.tasks)

    def add_seconds(self, seconds):
        events = [batch(self.text, self.count + second, self.tasks) for second in range(seconds)]
        with open(self.path, "ab") as log:
            log.write(as_stored(self.path, b"".join(events)))
        self.count += seconds


def measure_server(path, growth, sparkprof):
    with tempfile.TemporaryDirectory() as data:
        command = [sparkprof, "serve", "--listen", "127.0.0.1:0", "--data", data, "--watch", str(pathlib.Path(path).parent)]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            url = server.stderr.readline().split()[-1] + "api/sparkprof/v1/applications"
            while json.loads(get(url))["total"] == 0:
                time.sleep(0.1)
            begin = time.monotonic()
            page = get(f"{url}/app-endless/report")
            print(
                f"collector, first page: {time.monotonic() - begin:.2f} s, {len(page) / 1e6:.1f} MB, peak {memory_of(server.pid):.0f} MiB",
                flush=True,
            )
            growth.add_seconds(SECONDS)
            cpu = cpu_of(server.pid)
            begin = time.monotonic()
            while time.monotonic() < begin + SECONDS:
                growth.add_seconds(1)
                time.sleep(1)
            print(
                f"collector, a second of new events, without requests: {(cpu_of(server.pid) - cpu) / SECONDS * 1e3:.1f} ms of CPU",
                flush=True,
            )
            pages = []
            for _ in range(PAGES):
                growth.add_seconds(SECONDS)
                pages.append(next_page(f"{url}/app-endless/report", server.pid))
            elapsed, cpu = (statistics.median(column) for column in zip(*pages))
            print(
                f"collector, next page: median of {PAGES} {elapsed:.2f} s, CPU {cpu:.2f} s, peak {memory_of(server.pid):.0f} MiB",
                flush=True,
            )
        finally:
            server.terminate()
            server.wait()


def measure_live(path, growth, program):
    live = subprocess.Popen([program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    opened, shown, tasks, peak = map(float, live.stdout.readline().split())
    print(f"live log: opened in {opened:.0f} ms, shown in {shown:.0f} ms, {tasks:.0f} tasks, peak {peak:.0f} MiB")
    rows = []
    for _ in range(SECONDS):
        growth.add_seconds(1)
        live.stdin.write("\n")
        rows.append(list(map(float, live.stdout.readline().split())))
    live.stdin.close()
    live.wait()
    for name, column in (("read", 0), ("shown", 1)):
        values = [row[column] for row in rows]
        print(f"live log, a second of new events {name}: median {statistics.median(values):.2f} ms, most {max(values):.2f} ms")


def measure(path, recent, sparkprof, bench):
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; {os.path.getsize(path) / 1e9:.2f} GB")
    growth = Growth(path)
    run(sparkprof, "info", path, "--recent", recent)
    run(sparkprof, "findings", path, "--recent", recent)
    run(sparkprof, "show", "batches", path, "--recent", recent)
    run(sparkprof, "report", path, "--recent", recent, "-o", "/dev/null")
    if os.path.exists(bench):
        measure_live(path, growth, bench)
    measure_server(path, growth, sparkprof)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    making = verbs.add_parser("make")
    making.add_argument("file")
    making.add_argument("gigabytes", type=float)
    making.add_argument("--tasks", type=int, default=20, help="in each batch")
    making.add_argument("--repeat", type=int, default=0, help="the first hour so often, in addition: 500 make 100 GB in a minute")
    measuring = verbs.add_parser("measure")
    measuring.add_argument("file", help="alone in its folder, with a name that ends in .inprogress")
    measuring.add_argument("--recent", default="1h")
    measuring.add_argument("--sparkprof", default=str(ROOT / "bin" / "sparkprof"))
    measuring.add_argument("--bench", default=str(ROOT / "build" / "bench" / "bench" / "live_event_log_bench"))
    options = parser.parse_args()
    if options.verb == "make":
        make(options.file, options.gigabytes, options.tasks, options.repeat)
    else:
        measure(options.file, options.recent, options.sparkprof, options.bench)


if __name__ == "__main__":
    main()
