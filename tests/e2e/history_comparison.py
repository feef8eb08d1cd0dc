# SPDX-License-Identifier: Apache-2.0
"""Compares Spark's REST API as sparkprof serves it with a real Spark History Server over the same event logs.

history_comparison.py record LOGS ANSWERS     # what Spark's History Server answers about every log in the folder LOGS
history_comparison.py compare ANSWERS URL     # the same requests to sparkprof; prints each difference
"""

import contextlib
import gzip
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from spark_jobs import Spark
from support import DEADLINE, free_port, wait_until

CODECS = ("zstd", "lz4", "snappy", "lzf")
APPLICATION_LISTS = """
    ?status=completed ?status=running ?status=completed&status=running ?status=none ?limit=3 ?limit=x ?minDate=2021-01-01
    ?maxDate=2021-01-01 ?minEndDate=2021-01-01 ?maxEndDate=2021-01-01 ?minDate=2015-02-10T00:00:00.000GMT&maxDate=2022-01-01
    ?minDate=yesterday ?maxEndDate=2100-01-01
"""
UNORDERED = ("/tasks", "/executorSummary", "/killedTasksSummary", "/executorLogs", "/attributes", "/resources", "Resources")  # maps
QUANTILES = ["", "?quantiles=0.01,0.5,0.99", "?quantiles=1,0,0.5", "?quantiles=foo,0.1", "?quantiles=0.1,,0.2"]
TASK_LISTS = """
    ?offset=3&length=4 ?length=100000 ?sortBy=runtime&length=30 ?sortBy=-runtime&length=30 ?sortBy=decreasing_runtime
    ?sortBy=ID&offset=100000 ?status=success ?status=failed&status=killed ?status=running&length=3&offset=1 ?sortBy=x ?length=x ?status=x
    ?offset=-1 ?length=0
"""
PATHS = """
    /jobs /jobs?status=succeeded /jobs?status=succeeded&status=failed /jobs?status=RUNNING /jobs?status=unknown /jobs?status=x /jobs/99999
    /jobs/x /stages /stages?status=complete /stages?status=failed&status=skipped /stages?status=active /stages?status=pending
    /stages?status=x /stages?withSummaries=true /stages?withSummaries=true&quantiles=0.1,0.9 /stages?details=true&taskStatus=failed
    /stages?details=true&taskStatus=x /stages?details=true&taskStatus=success&taskStatus=killed&withSummaries=true
    /stages?taskStatus=failed /stages/99999 /stages/99999/0 /stages/99999/0/taskSummary /stages/99999/0/taskList /stages/flimflam
    /executors /allexecutors /allmiscellaneousprocess /environment /storage/rdd /storage/rdd/99999 /sql /sql?details=false
    /sql?planDescription=false /sql?offset=1&length=2 /sql?length=1 /sql?offset=100&length=5 /sql/99999 /sql/x /nothing
"""


def get(url):
    """(status, body)"""
    try:
        with urllib.request.urlopen(url, timeout=DEADLINE) as answer:
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode(errors="replace")


def place_folder(log, folder):
    if log.name.startswith("eventlog_v2_"):
        shutil.copytree(log, folder / log.name)
        (folder / log.name).chmod(0o755)
        (folder / log.name / log.name.replace("eventlog_v2_", "appstatus_")).touch()
    elif (log / "eventlog").exists():
        with open(folder / log.name, "wb") as joined:
            for part in sorted(log.glob("eventlog-*")):
                joined.write(gzip.decompress(part.read_bytes()))
            joined.write((log / "eventlog").read_bytes())


def place_logs(logs, folder):
    """The event logs in `logs` as the History Server accepts them: the parts of a Databricks log joined, rolled logs with
    a status file, and names whose endings Spark does not mistake for a codec."""
    for log in sorted(logs.iterdir()):
        if log.is_dir():
            place_folder(log, folder)
            continue
        name, _, codec = log.name.rpartition(".")
        target = f"{name.replace('.', '-')}.{codec}" if codec in CODECS else log.name.replace(".", "-")
        shutil.copyfile(log, folder / target)


@contextlib.contextmanager
def history_server(folder, version="4.1.1", jars=(), conf=(), **settings):
    """The URL of the REST API of a Spark History Server that has read the event logs in `folder`. `settings` are those of
    spark.history, `conf` pairs of other keys and values."""
    spark = Spark(version)
    port = free_port()
    defaults = {"fs.logDirectory": f"file:{folder}", "ui.port": port, "fs.update.interval": "3600s", "ui.maxApplications": 100000}
    properties = [f"-Dspark.history.{key}={value}" for key, value in (defaults | settings).items()]
    properties += [f"-D{key}={value}" for key, value in conf]
    command = ["java", "-Xmx2g", "-XX:+UseSerialGC", "-cp", ":".join([*map(str, jars), f"{spark.home}/jars/*"])]
    command += ["-Duser.timezone=GMT", *properties, "org.apache.spark.deploy.history.HistoryServer"]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=spark.environment())
        url = f"http://127.0.0.1:{port}/api/v1"

        def listed():
            if process.poll() is not None:
                output.seek(0)
                raise AssertionError(output.read().decode()[-3000:])
            with contextlib.suppress(OSError, ValueError):
                return bool(json.loads(get(url + "/applications")[1]))

        try:
            wait_until(listed, "the History Server lists applications")
            yield url
        finally:
            process.terminate()
            process.wait(timeout=DEADLINE)


def paths_of_attempt(prefix, fetch):
    """The requests about one attempt; `fetch(path)` gives an answer as JSON, None if there is none."""
    yield from (prefix + path for path in ["", *PATHS.split()])
    for job in fetch(prefix + "/jobs") or []:
        yield f"{prefix}/jobs/{job['jobId']}"
    for rdd in fetch(prefix + "/storage/rdd") or []:
        yield f"{prefix}/storage/rdd/{rdd['id']}"
    for execution in fetch(prefix + "/sql") or []:
        yield from (f"{prefix}/sql/{execution['id']}{query}" for query in ("", "?details=false", "?planDescription=false"))
    for stage in fetch(prefix + "/stages") or []:
        of_id = f"{prefix}/stages/{stage['stageId']}"
        attempt = f"{of_id}/{stage['attemptId']}"
        of_attempt = ("", "?details=false", "?withSummaries=true&quantiles=0.25,0.5", "?taskStatus=killed&taskStatus=failed")
        yield from (of_id + query for query in ("", "?details=false", "?withSummaries=true&details=false", "?taskStatus=failed", "/77"))
        yield from (attempt + query for query in of_attempt)
        yield from (f"{attempt}/taskSummary{query}" for query in QUANTILES)
        yield from (f"{attempt}/taskList{query}" for query in ["", *TASK_LISTS.split()])


def record(logs, answers):
    """Writes what a History Server answers, as {path: [status, body]}, one file for each attempt."""
    answers.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        place_logs(logs, pathlib.Path(folder))
        with history_server(folder) as url:

            def fetch(path):
                status, body = get(url + path)
                return json.loads(body) if status == 200 else None

            lists = ["/version", "/applications", "/applications/nobody", "/applications/nobody/jobs", "/applications/nobody/1", "/nothing"]
            lists += ["/applications" + query for query in APPLICATION_LISTS.split()]
            (answers / "lists.json").write_text(json.dumps({path: get(url + path) for path in lists}))
            for application in fetch("/applications"):
                for attempt in application["attempts"]:
                    prefix = f"/applications/{application['id']}" + (f"/{attempt['attemptId']}" if "attemptId" in attempt else "")
                    paths = dict.fromkeys(paths_of_attempt(prefix, fetch))
                    answered = {path: get(url + path) for path in paths}
                    (answers / (prefix[1:].replace("/", "_") + ".json")).write_text(json.dumps(answered))


def differences(theirs, ours, path=""):
    """(path, theirs, ours) for each value that differs; the order of members counts, too."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in theirs.keys() | ours.keys():
            if key not in ours or key not in theirs:
                yield f"{path}/{key}", theirs.get(key, "(absent)"), ours.get(key, "(absent)")
            else:
                yield from differences(theirs[key], ours[key], f"{path}/{key}")
        if theirs.keys() == ours.keys() and list(theirs) != list(ours) and not path.endswith(UNORDERED):
            yield f"{path} (order)", list(theirs), list(ours)
    elif isinstance(theirs, list) and isinstance(ours, list):
        if len(theirs) != len(ours):
            yield f"{path} (length)", len(theirs), len(ours)
        for row, (one, other) in enumerate(zip(theirs, ours)):
            yield from differences(one, other, f"{path}/{row}")
    elif type(theirs) is not type(ours) or theirs != ours:
        yield path, theirs, ours


def compare_answers(theirs, ours, is_over=True):
    """Differences between two (status, body), without those that depend on when and where Spark's answer was given: the time when a
    log was last looked at, and the durations of what still runs (`is_over` = false: the application does)."""
    volatile = ("lastUpdated", "lastUpdatedEpoch") + (() if is_over else ("duration", "totalDuration"))
    return [row for row in all_differences(theirs, ours) if row[0].rpartition("/")[2] not in volatile]


def all_differences(theirs, ours):
    if theirs[0] == 500:  # a length of 0 makes Spark's store fail
        return []
    if theirs[0] != ours[0]:
        return [("(status)", theirs, ours)]
    if theirs[0] == 404 and theirs[1].startswith(("<html>", "/api/v1/")):  # the router's page for a path or value that it does not accept
        return []
    try:
        return list(differences(json.loads(theirs[1]), json.loads(ours[1])))
    except ValueError:
        return [] if theirs[1] == ours[1] else [("(body)", theirs[1], ours[1])]


def compare(answers, fetch):
    """(path, place, theirs, ours) for each difference between the recorded answers and what `fetch(path)` gives."""
    for file in sorted(answers.glob("*.json")):
        recorded = json.loads(file.read_text())
        application = next(iter(recorded.values()))[1]  # the first request is for the application or attempt
        is_over = '"completed" : false' not in application
        for path, theirs in recorded.items():
            for difference in compare_answers(theirs, fetch(path), is_over):
                yield (path, *difference)


def main(arguments):
    if arguments[:1] == ["record"] and len(arguments) == 3:
        record(pathlib.Path(arguments[1]), pathlib.Path(arguments[2]))
        return 0
    if arguments[:1] != ["compare"] or len(arguments) != 3:
        sys.exit(__doc__)
    found = 0
    for path, where, theirs, ours in compare(pathlib.Path(arguments[1]), lambda path: get(arguments[2] + path)):
        found += 1
        print(f"{path} {where}\n  Spark:     {str(theirs)[:300]}\n  sparkprof: {str(ours)[:300]}")
    print(f"{found} differences")
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
