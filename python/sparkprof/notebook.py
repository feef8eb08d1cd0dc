# SPDX-License-Identifier: Apache-2.0
"""Measures what a cell or a block of code costs in Spark: `%load_ext sparkprof`, `%%sparkprof`, and `sparkprof.profile()`.

The Spark session must record: spark.sparkprof.dir (a local folder) or spark.sparkprof.server of the plugin, or an event log in a local
folder, which has findings but no flame graph. Whatever goes wrong here, the code runs as it would have, and the result says why there
is no answer.
"""

import contextlib
import datetime
import html
import json
import linecache
import os
import pathlib
import re
import sys
import tempfile
import time
import urllib.parse

from sparkprof._command import NothingFound, SparkprofError, run

_WAIT = 30  # seconds, for the recording of what just ran
_EVENTS_LATE = 2  # seconds: Spark's events are written sooner
_SAMPLES_LATE = 6  # seconds: samples leave the JVM each 5 s (spark.sparkprof.dumpInterval), Python's are added up for as long
_POLL = 1
_TASK_THREADS = "^Executor task launch worker"
_FRAME = re.compile(r"(?:\(| at )([^()\s]+):(\d+)\)?$")  # "ask (4711.py:2)", "sum at <ipython-input-1-b32d>:6"

_NO_SESSION = "no Spark session is active"
_NO_RECORDING = (
    "the Spark session records nothing: start it with spark.plugins=org.sparkprof.SparkProfPlugin and spark.sparkprof.dir=file:/FOLDER"
)


class Cost:
    """The answer about a block of code; `str()` is its text. Filled when the block ends."""

    def __init__(self):
        self.seconds = None
        self.jobs = None  # number of Spark jobs that began in the block; None = unknown
        self.findings = []  # as `sparkprof findings --json`, about the stages of these jobs, the most important first
        self.flame_graph = ""  # an HTML page; empty where nothing was sampled
        self.problem = ""  # why something is unknown

    @property
    def verdict(self):
        """One or two sentences."""
        if self.seconds is None:
            return "not finished"
        jobs = "" if self.jobs is None else f", {self.jobs} Spark job{'' if self.jobs == 1 else 's'}"
        text = f"{self.seconds:.1f} s{jobs}."
        if self.findings:
            return f"{text} {self.findings[0]['title']}{_saving(self.findings[0])}."
        if self.problem:
            return f"{text} Not checked for known problems: {self.problem}."
        return text if not self.jobs else f"{text} No known problems detected."

    def __str__(self):
        lines = [self.verdict]
        for finding in self.findings:
            lines.append(f"- {finding['title']}{_saving(finding)}")
            lines += [f"    {_with_source(frame)}" for frame in finding["frames"]]
            lines.append(f"    What to do: {finding['change']}")
        return "\n".join(lines)

    __repr__ = __str__  # for IPython in a terminal

    def _repr_html_(self):
        text = f"<pre>{html.escape(str(self))}</pre>"
        if not self.flame_graph:
            return text
        page = html.escape(self.flame_graph, quote=True)
        return f'{text}<iframe sandbox="allow-scripts" srcdoc="{page}" style="width:100%;height:480px;border:0"></iframe>'


class profile(contextlib.ContextDecorator):  # noqa: N801
    """Measures a block, or each call of a function, in the active Spark session:

        with sparkprof.profile() as cost:
            frame.count()
        print(cost)

        @sparkprof.profile()
        def nightly(): ...

    A function prints the answer on standard error after each call. `session`: another session than the active one."""

    def __init__(self, session=None, wait=_WAIT):
        self._session, self._wait = session, wait
        self._prints = False
        self._open = []  # (cost, start) of blocks that have not ended: a function may call itself

    def _recreate_cm(self):
        inner = type(self)(self._session, self._wait)
        inner._prints = True
        return inner

    def __enter__(self):
        cost = Cost()
        self._open.append((cost, time.time()))
        return cost

    def __exit__(self, *_):
        cost, start = self._open.pop()
        end = time.time()
        cost.seconds = end - start
        try:
            _fill(cost, self._session or _active_session(), start, end, self._wait)
        except (SparkprofError, OSError, ValueError, KeyError) as error:
            cost.problem = str(error)
        if self._prints:
            print(f"sparkprof: {cost}", file=sys.stderr)
        return False


def load_ipython_extension(shell):
    """Called by %load_ext sparkprof."""

    def sparkprof(line, cell):
        """%%sparkprof: runs the cell and shows what it cost in Spark."""
        if line.strip():
            print(f"%%sparkprof has no arguments, found: {line}", file=sys.stderr)
        with profile() as cost:
            result = shell.run_cell(cell)
        _show(shell, cost)
        error = result.error_before_exec or result.error_in_exec
        if error is not None:
            _end_cell(shell, error)

    shell.register_magic_function(sparkprof, magic_kind="cell")


def _show(shell, cost):
    """Databricks' notebooks have a function of their own for HTML."""
    show_html = shell.user_ns.get("displayHTML")
    if callable(show_html):
        show_html(cost._repr_html_())
        return
    try:
        from IPython.display import display  # noqa: PLC0415
    except ImportError:
        print(cost)
    else:
        display(cost)


def _end_cell(shell, error):
    """Raises the error of the inner cell, so that *Run All* stops here. run_cell() has shown it already."""
    show = shell._showtraceback

    def show_others(kind, value, lines):
        shell._showtraceback = show
        if value is not error:
            show(kind, value, lines)

    shell._showtraceback = show_others
    raise error


def _active_session():
    for name in ("pyspark.sql", "pyspark.sql.connect.session"):
        # Imported by the program that has such a session.
        module = sys.modules.get(name)
        session = module.SparkSession.getActiveSession() if module else None
        if session is not None:
            return session
    raise SparkprofError(_NO_SESSION)


def _input_of(session):
    """The place that the session writes to: a folder of recordings, an address on a collector, or an event log."""

    def setting(name):
        return session.conf.get(name, None) or ""

    application = setting("spark.app.id")
    folder = _local_path(setting("spark.sparkprof.dir"))
    if folder and application:
        return os.path.join(folder, application)
    server = setting("spark.sparkprof.server")
    if server and application:
        return f"{server.rstrip('/')}/applications/{urllib.parse.quote(application, safe='')}"
    events = _local_path(setting("spark.eventLog.dir")) if setting("spark.eventLog.enabled") == "true" else ""
    found = sorted(pathlib.Path(events).glob(f"*{application}*")) if events and application else []
    if not found:
        raise SparkprofError(_NO_RECORDING)
    return str(found[-1])


def _local_path(address):
    parts = urllib.parse.urlsplit(address)
    return parts.path if parts.scheme in ("", "file") else ""


def _fill(cost, session, start, end, wait):
    path = _input_of(session)
    deadline = time.monotonic() + wait
    jobs = _jobs_between(path, start, end, deadline)
    while jobs and not _is_recorded(path, end + _SAMPLES_LATE) and time.monotonic() < deadline:
        time.sleep(_POLL)
    cost.jobs = len(jobs)
    stages = {stage for job in jobs for stage in job["stageIds"] or ()}
    cost.findings = [one for one in _json("findings", path) if stages.intersection(one["stages"])]
    cost.flame_graph = _flame_graph(path, start, end) if jobs else ""


def _json(*arguments):
    return json.loads(run(*arguments, "--json"))


def _is_recorded(path, until):
    """Whether the recording has what happened before that time. An event log has its events as they happen, and no samples."""
    if os.path.isfile(path) or os.path.basename(path).startswith("eventlog_v2_"):
        return True
    if "://" in path:  # on a collector
        return time.time() >= until
    return any(file.stat().st_mtime >= until for file in pathlib.Path(path).rglob("*.sprof"))


def _jobs_between(path, start, end, deadline):
    """The jobs that began in this time, as soon as the recording has all of them and their ends."""
    before = None
    while True:
        try:
            jobs = [job for job in _json("show", "jobs", path) if start * 1000 - 1 <= (job["submissionTime"] or 0) <= end * 1000 + 1]
        except NothingFound:
            jobs = []
        except SparkprofError:
            # The first file of a session comes some seconds after its start.
            if "://" in path or os.path.exists(path) or time.monotonic() >= deadline:
                raise
            jobs = []
        complete = jobs == before and all(job["completionTime"] for job in jobs) and _is_recorded(path, end + _EVENTS_LATE)
        if complete or time.monotonic() >= deadline:
            return jobs
        before = jobs
        time.sleep(_POLL)


def _flame_graph(path, start, end):
    """Draws the tasks of this time: the JVM has many more threads, which wait. Draws all threads if no task was sampled."""
    times = [datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ") for at in (start, end)]
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "flame.html"
        for threads in (("--thread", _TASK_THREADS), ()):
            with contextlib.suppress(SparkprofError):
                run("flame", path, "--event", "wall", "--from", times[0], "--to", times[1], *threads, "-o", page)
                return page.read_text(encoding="utf-8")
    return ""


def _saving(finding):
    return f"; could save {finding['saving']}" if finding["saving"] else ""


def _with_source(frame):
    """A frame with the text of its line, where the interpreter has it: cells have no file that another program could read."""
    found = _FRAME.search(frame)
    if not found:
        return frame
    for name in list(linecache.cache):
        if os.path.basename(name) == found[1]:
            line = linecache.getline(name, int(found[2])).strip()
            return f"{frame}  {line}" if line else frame
    return frame
