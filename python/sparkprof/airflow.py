# SPDX-License-Identifier: Apache-2.0
"""A plugin of Airflow that connects the run of a task with its Spark applications on a collector.

Before the task runs, its applications get the label DAG.TASK, which is their group on the collector. After it ended, the task's log has
for each application of the run the address of its page, the verdict, and its duration against the task's last runs; the task's page has
a link. `pip install sparkprof[airflow]` is the installation: Airflow finds the plugin by its entry point.

The collector is that of SPARKPROF_SERVER, or of the option `server` in the section [sparkprof] of Airflow's configuration; its token is
in SPARKPROF_SERVER_TOKEN. Whatever goes wrong here, the task runs and ends as it would have.
"""

import contextlib
import json
import logging
import os
import statistics
import time
import urllib.error
import urllib.parse
import urllib.request

from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin

try:
    from airflow.sdk import BaseOperatorLink
except ImportError:  # Airflow 2
    from airflow.models.baseoperatorlink import BaseOperatorLink

_LABEL = "SPARKPROF_LABEL"
_XCOM = "_link_SparkprofLink"  # key of the link's address, for Airflow's pages
_RUNS = 20  # in the baseline
_WAIT = 30  # seconds, until the collector has the end of an application
_POLL = 2
_TIMEOUT = 10
_BODY = 8 << 20

_log = logging.getLogger("airflow.task.sparkprof")
_started = {}  # the start of the runs in this process, and the label before; by the key of the run


def _key(task_instance):
    return (task_instance.dag_id, task_instance.task_id, task_instance.run_id, getattr(task_instance, "map_index", -1))


def label_of(task_instance):
    """The group of a task's applications."""
    return f"{task_instance.dag_id}.{task_instance.task_id}"


class _Listener:
    @hookimpl
    def on_task_instance_running(self, previous_state, task_instance):  # noqa: ARG002
        with _harmless("label"):
            _started[_key(task_instance)] = (time.time(), os.environ.get(_LABEL))
            os.environ.setdefault(_LABEL, label_of(task_instance))

    @hookimpl
    def on_task_instance_success(self, previous_state, task_instance):  # noqa: ARG002
        with _harmless("report"):
            _end(task_instance)

    @hookimpl
    def on_task_instance_failed(self, previous_state, task_instance):  # noqa: ARG002
        with _harmless("report"):
            _end(task_instance)


@contextlib.contextmanager
def _harmless(what):
    try:
        yield
    except Exception as error:  # noqa: BLE001
        _log.warning("sparkprof: no %s: %s", what, _one_line(str(error)))


def _end(task_instance):
    begin, before = _started.pop(_key(task_instance), (None, None))
    if begin is None:
        return
    label = os.environ.get(_LABEL, label_of(task_instance))
    if before is None:
        os.environ.pop(_LABEL, None)
    server = _server()
    if not server:
        return
    wait = _WAIT if _starts_spark(getattr(task_instance, "task", None)) else 0
    runs, earlier = _applications(server, label, begin, wait)
    for run in runs:
        _log.info("sparkprof: %s", describe(server, run, earlier))
    if runs:
        task_instance.xcom_push(key=_XCOM, value=_page(server, runs[-1]))


def _starts_spark(task):
    """Whether the operator starts Spark, so that its task waits for the end of the recording."""
    return any("spark" in name.lower() or "livy" in name.lower() for name in (type(task).__name__, str(getattr(task, "bash_command", ""))))


def _server():
    server = os.environ.get("SPARKPROF_SERVER", "")
    if not server:
        with contextlib.suppress(Exception):
            from airflow.configuration import conf  # noqa: PLC0415

            server = conf.get("sparkprof", "server", fallback="")
    return (server or "").rstrip("/")


def _applications(server, label, begin, wait):
    """The applications of the label since `begin`, in the order of their starts, once all have ended; and the last ones before."""
    deadline = time.monotonic() + wait
    while True:
        query = urllib.parse.urlencode({"group": label, "sort": "-startTime", "limit": 5 * _RUNS})
        listed = _get(f"{server}/api/sparkprof/v1/applications?{query}")["applications"]
        runs = [one for one in reversed(listed) if one["startTime"] >= begin * 1000 - 1000]
        if (runs and all(one["status"] != "running" for one in runs)) or time.monotonic() >= deadline:
            return runs, [one for one in listed if one["startTime"] < begin * 1000 - 1000 and one["status"] == "finished"][:_RUNS]
        time.sleep(_POLL)


def describe(server, run, earlier):
    """One line about an application: status, duration against those of `earlier`, verdict, address."""
    text = f"{run['status']} after {run['durationMs'] / 1000:.1f} s"
    if earlier:
        median = statistics.median(one["durationMs"] for one in earlier)
        change = f" ({(run['durationMs'] - median) / median:+.0%})" if median > 0 else ""
        text += f"; the median of the last {len(earlier)} run{'' if len(earlier) == 1 else 's'} is {median / 1000:.1f} s{change}"
    verdict = _verdict(server, run["id"])
    return _one_line(f"{_page(server, run)} {text}{'. ' + verdict if verdict else ''}")


def _one_line(text):
    """Text of a job or a server for the log: one line, in which no character moves the cursor, hides or turns text."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(text.split()))


def _verdict(server, application):
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "diagnose", "arguments": {"application": application}}}
    with contextlib.suppress(OSError, ValueError, KeyError):
        # Between the marks of texts that come from the job.
        return _get(f"{server}/mcp", json.dumps(call).encode())["result"]["structuredContent"]["verdict"].strip("«»")
    return ""


def _page(server, run):
    return f"{server}/applications/{urllib.parse.quote(run['id'], safe='')}"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: urllib would send the token to wherever it points."""

    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def _get(address, body=None):
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    if token := os.environ.get("SPARKPROF_SERVER_TOKEN", ""):
        headers["authorization"] = f"Bearer {token}"
    request = urllib.request.Request(address, data=body, headers=headers)  # noqa: S310
    try:
        with _opener.open(request, timeout=_TIMEOUT) as response:
            return json.loads(response.read(_BODY))
    except urllib.error.HTTPError as error:
        raise OSError(f"{address}: the server answered {error.code}") from error


def _stored_address(ti_key):
    try:
        from airflow.models.xcom import XComModel  # noqa: PLC0415
    except ImportError:  # Airflow 2
        from airflow.models import XCom  # noqa: PLC0415

        return XCom.get_value(ti_key=ti_key, key=_XCOM)
    from airflow.utils.session import create_session  # noqa: PLC0415

    with create_session() as session:
        query = XComModel.get_many(
            run_id=ti_key.run_id, key=_XCOM, task_ids=ti_key.task_id, dag_ids=ti_key.dag_id, map_indexes=ti_key.map_index, limit=1
        )
        found = session.execute(query).first()
        return found and XComModel.deserialize_value(found[0] if hasattr(found[0], "value") else found)


class SparkprofLink(BaseOperatorLink):
    """The button on a task's page."""

    name = "sparkprof"

    @property
    def xcom_key(self):
        return _XCOM

    def get_link(self, operator, *, ti_key):  # noqa: ARG002
        return _stored_address(ti_key) or ""


class SparkprofPlugin(AirflowPlugin):
    name = "sparkprof"
    listeners = [_Listener()]
    global_operator_extra_links = [SparkprofLink()]
