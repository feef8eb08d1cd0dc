# SPDX-License-Identifier: Apache-2.0
import bisect
import csv
import io
import json
import operator
import os
import tempfile
from collections import deque

from ._command import NothingFound, SparkprofError, run, run_json
from ._graph import get_max_y, scatter
from ._profile_parser import ProfileParser
from ._stack_parser import is_empty, open_stream

_SECOND_MS = 1000
_BLUE = "darkblue"
_PURPLE = "rgb(128, 0, 128)"
_TASK_FIELDS = ("index", "attempt", "stageId", "stageAttemptId", "jobId", "launchTime", "finishTime")
_NO_TABLES = {"name": "", "jobs": [], "stages": [], "tasks": []}


class AttemptId(float):
    """An id with its attempt, as Spark writes it: 3.0, 3.1, …, 3.10. Equal to the float of that text, but of two with
    the same value (3.1 and 3.10) only the same attempt is equal."""

    def __new__(cls, number, attempt):
        self = super().__new__(cls, f"{number}.{attempt}")
        self.number = number
        self.attempt = attempt
        return self

    def _compare(self, other, compare):
        if isinstance(other, AttemptId):
            return compare((self.number, self.attempt), (other.number, other.attempt))
        return compare(float(self), other)

    def __eq__(self, other):
        return self._compare(other, operator.eq)

    def __ne__(self, other):
        return self._compare(other, operator.ne)

    def __lt__(self, other):
        return self._compare(other, operator.lt)

    def __le__(self, other):
        return self._compare(other, operator.le)

    def __gt__(self, other):
        return self._compare(other, operator.gt)

    def __ge__(self, other):
        return self._compare(other, operator.ge)

    def __hash__(self):
        return hash(float(self))

    def __repr__(self):
        return f"{self.number}.{self.attempt}"

    __str__ = __repr__


def rows_of(log, *arguments):
    """The command's output, parsed from JSON, or an empty list when the log has nothing of it."""
    try:
        return run_json(*arguments)
    except NothingFound:
        return []
    except SparkprofError:
        if is_empty(log):
            return []
        raise


class SparkLogParser:
    """The contents of a log of a Spark driver or executor: jobs, stages and tasks with their times (epoch ms), repeated
    messages, errors; with the metrics of a file of profiler records, or of records in the log itself."""

    def __init__(self, log_file, profile_file="", id="", normalize=True):
        self.logfile = log_file
        self.id = id
        self.profile_parser = ProfileParser(profile_file or log_file, normalize)
        self._tables_read = None
        self._begun = None  # [(start, job)] in order of start

    # Jobs, stages, tasks

    @property
    def application_name(self):
        return self._tables()["name"]

    @property
    def jobs(self):
        """[(id, start, end)] of jobs that ended."""
        return [(job, start, end) for job, (start, end) in self.extract_job_intervals().items()]

    @property
    def task_intervals(self):
        return self.extract_task_intervals()

    @property
    def stage_intervals(self):
        return self.extract_stage_intervals()

    @property
    def job_intervals(self):
        return self.extract_job_intervals()

    def extract_task_intervals(self):
        """{(task.attempt, stage.attempt, job): (start, end)} of task attempts that ended, however they did."""
        intervals = {}
        for index, attempt, stage, stage_attempt, job, start, end in self._tables()["tasks"]:
            if not start or not end:
                continue
            task = AttemptId(_number(index), _number(attempt, 0))
            stage = AttemptId(_number(stage), _number(stage_attempt, 0))
            intervals[task, stage, self._latest_job(start) if job is None else job] = (start, end)
        return intervals

    def extract_stage_intervals(self):
        """{(stage.attempt, job): (start, end)}: from a stage's submission to its completion, or what its tasks span where
        the log does not say."""
        spans = _spans((key[1:], interval) for key, interval in self.extract_task_intervals().items())
        intervals = {}
        for stage in self._tables()["stages"]:
            job = stage["jobId"]
            if job is None:
                job = self._latest_job(stage["submissionTime"] or stage["firstTaskLaunchedTime"] or 0)
            key = (AttemptId(_number(stage["stageId"]), _number(stage["attemptId"], 0)), job)
            span = spans.pop(key, (None, None))
            start, end = stage["submissionTime"] or span[0], stage["completionTime"] or span[1]
            if start and end:
                intervals[key] = (start, end)
        return {**intervals, **spans}

    def extract_job_intervals(self):
        """{job: (start, end)}: from submission to completion, or the span of its tasks if the log lacks these."""
        spans = _spans((key[2], interval) for key, interval in self.extract_task_intervals().items())
        intervals = {}
        for job in self._tables()["jobs"]:
            span = spans.pop(job["jobId"], (None, None))
            start, end = job["submissionTime"] or span[0], job["completionTime"] or span[1]
            if start and end:
                intervals[job["jobId"]] = (start, end)
        spans.pop(-1, None)
        return {**intervals, **spans}

    def get_job_intervals(self):
        return self.extract_job_intervals()

    def extract_active_tasks(self):
        """([times], [tasks that run then]) for each second from the first task's start to the last one's end."""
        changes = sorted(change for start, end in self.extract_task_intervals().values() for change in ((start, 1), (end, -1)))
        if not changes:
            return [], []
        times = list(range(changes[0][0], changes[-1][0] + 1, _SECOND_MS))
        counts = []
        active = position = 0
        for time in times:
            while position < len(changes) and changes[position][0] <= time:
                active += changes[position][1]
                position += 1
            counts.append(active)
        return times, counts

    # Messages

    def get_top_log_chunks(self, log_level=""):
        """[(repeats, [message, …])] of repeated sequences of messages, most repeated first; with `log_level` of records
        of that level and above."""
        level = ["--level", log_level] if log_level else []
        chunks = self._logs("--chunks", *level)
        return [(chunk["repeats"], chunk["lines"]) for chunk in chunks]

    def extract_errors(self, deduplicate=True):
        """Warnings and errors with the lines that belong to them, newest first: a deque of lists of lines. Those that
        are the same are there once, unless deduplicate=False."""
        return deque(lines for _, _, lines in self._timed_errors(deduplicate))

    def _timed_errors(self, deduplicate=True):
        """[(time in ms, fingerprint, lines)], newest first."""
        records = self._logs("--level", "WARN")
        records.sort(key=lambda record: (record["time"] or 0, record["line"]), reverse=True)
        heads = self._raw_lines({record["line"] for record in records})
        texts = [(record, self._lines_of(record, heads)) for record in records]
        if not deduplicate:
            return [(record["time"] or 0, "", lines) for record, lines in texts]
        newest = {}
        for record, lines in texts:
            newest.setdefault((record["time"], record["message"].split("\n")[0]), []).append((record["line"], lines))
        errors = []
        for error in self._logs("--errors"):
            found = newest.get((error["last"], error["message"]))
            number, lines = found.pop(0) if found else (0, [error["message"]])
            errors.append((error["last"] or 0, number, error["fingerprint"], lines))
        errors.sort(key=lambda error: error[:2], reverse=True)
        return [(time, fingerprint, lines) for time, _, fingerprint, lines in errors]

    def says(self, pattern):
        """Whether a regular expression (RE2) finds something in the log."""
        return bool(self._logs("--grep", pattern))

    def _logs(self, *options):
        return rows_of(self.logfile, "logs", self.logfile, *options)

    def _raw_lines(self, numbers):
        """{number: line} of the log."""
        last = max(numbers, default=0)
        lines = {}
        if not os.path.isfile(self.logfile):
            return lines
        with open_stream(self.logfile) as stream:
            for number, line in enumerate(stream, 1):
                if number > last:
                    break
                if number in numbers:
                    lines[number] = line.strip()
        return lines

    @staticmethod
    def _lines_of(record, heads):
        head = heads.get(record["line"], "")
        message = record["message"].split("\n")[0].strip()
        if message not in head:  # a wrapped line, or a codec that Python does not read
            head = f"{record['level']} {record['logger']} - {message}"
        return [head, *(line.strip() for line in record["further"].splitlines() if line.strip())]

    # Graphs

    def graph_tasks(self, maximum):
        """A horizontal line for each task, spread up to about `maximum`, and a trace with their labels."""
        intervals = self.extract_task_intervals()
        graphs, texts, xs, ys = [], [], [], []
        for position, ((task, stage, job), (start, end)) in enumerate(intervals.items(), 1):
            name = f"Task {task}@{stage}@{job}"
            y = task + stage + maximum / len(intervals) * position
            line = {"color": _BLUE, "width": 5}
            graphs.append(scatter(x=[start, end], y=[y, y], mode="lines+markers", name=name, hoverinfo="none", line=line, opacity=0.5))
            texts += [name + " Start", name + " End"]
            xs += [start, end]
            ys += [y, y]
        labels = {"name": "Task labels", "text": texts, "hoverinfo": "none"}
        return [*graphs, _labels(xs, ys, size=14, **labels)]

    def extract_stage_markers(self):
        """Dots on the x axis where stages start and end."""
        texts, xs = [], []
        for (stage, job), (start, end) in self.extract_stage_intervals().items():
            texts += [f"Stage {stage}@{job} start", f"Stage {stage}@{job} end"]
            xs += [start, end]
        return _labels(xs, [0] * len(xs), size=18, name="Stage Labels", text=texts)

    def extract_job_markers(self, max=10):
        """A layout with dotted vertical lines, `max` high, where jobs start and end."""
        line = {"color": _PURPLE, "width": 4, "dash": "dot"}
        return {
            "shapes": [
                {"type": "line", "x0": time, "y0": 0, "x1": time, "y1": max, "line": dict(line)}
                for interval in self.extract_job_intervals().values()
                for time in interval
            ]
        }

    def get_active_tasks_plot(self):
        times, counts = self.extract_active_tasks()
        line = {"color": _BLUE, "width": 5}
        return scatter(x=times, y=counts, mode="lines+markers", name="Active Tasks", hoverinfo="none", line=line)

    # Metrics

    def get_metrics(self, names=()):
        return self.profile_parser.get_metrics(names)

    def ignore_metrics(self, names=()):
        return self.profile_parser.ignore_metrics(names)

    def get_available_metrics(self):
        return self.profile_parser.get_available_metrics()

    def get_maxima(self):
        return self.profile_parser.get_maxima()

    @staticmethod
    def get_max_y(data_points):
        return get_max_y(data_points)

    def _latest_job(self, time):
        """The last job that started before a time, if the log does not identify the job; -1 if there is none."""
        if self._begun is None:
            self._begun = sorted((job["submissionTime"] or 0, job["jobId"]) for job in self._tables()["jobs"])
        position = bisect.bisect_right(self._begun, (time, float("inf")))
        return self._begun[position - 1][1] if position else -1

    def _tables(self):
        if self._tables_read is None:
            with tempfile.TemporaryDirectory(prefix="sparkprof-") as folder:
                recording = os.path.join(folder, "log.sprof")
                self._tables_read = _read_tables(self.logfile, recording)
        return self._tables_read


def _read_tables(log, recording):
    try:
        run("analyze", log, "--no-report", "--no-logs", "-o", recording)
        information = json.loads(run("info", recording, "--json"))
    except NothingFound:
        return _NO_TABLES
    except SparkprofError:
        if is_empty(log):
            return _NO_TABLES
        raise
    application = (information.get("applications") or [information])[0]
    tables = {table: rows_of(log, "show", table, recording) for table in ("jobs", "stages")}
    return {"name": application.get("name") or "", "tasks": _read_tasks(recording), **tables}


def _read_tasks(recording):
    """Rows with _TASK_FIELDS, numbers or None. There may be very many tasks: as CSV they are a sixth of the JSON."""
    try:
        rows = csv.reader(io.StringIO(run("show", "tasks", recording, "--csv", "--columns", ",".join(_TASK_FIELDS))))
    except NothingFound:
        return []
    next(rows, None)  # the names of the columns
    return [tuple(int(cell) if cell else None for cell in row) for row in rows]


def _number(value, unknown=-1):
    return unknown if value is None else value


def _spans(intervals):
    """{key: (first start, last end)} of (key, (start, end))."""
    spans = {}
    for key, (start, end) in intervals:
        first, last = spans.get(key, (start, end))
        spans[key] = (min(first, start), max(last, end))
    return spans


def _labels(xs, ys, size, **settings):
    marker = {"color": _BLUE, "size": size}
    return scatter(x=xs, y=ys, mode="markers+text", marker=marker, opacity=0.5, textposition="bottom center", **settings)
