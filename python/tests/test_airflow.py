# SPDX-License-Identifier: Apache-2.0
"""The plugin for Airflow against a collector that means harm. tests/e2e/test_airflow.py runs a real Airflow."""

import contextlib
import http.server
import importlib
import json
import sys
import threading
import types
import unittest
from unittest import mock

HOSTILE = "x\x1b[31m\r\nFAKE LINE\x9b2J\u2028\u202e\x00"


def plugin():
    """The module, with stand-ins for what it imports of Airflow."""
    listeners = types.SimpleNamespace(hookimpl=lambda function: function)
    modules = {
        "airflow": types.ModuleType("airflow"),
        "airflow.listeners": listeners,
        "airflow.plugins_manager": types.SimpleNamespace(AirflowPlugin=object),
        "airflow.sdk": types.SimpleNamespace(BaseOperatorLink=object),
    }
    with mock.patch.dict(sys.modules, modules):
        sys.modules.pop("sparkprof.airflow", None)
        return importlib.import_module("sparkprof.airflow")


@contextlib.contextmanager
def server(answer):
    """A server on this machine: `answer(handler)` answers each request. Yields its address and the headers that it got."""
    received = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            received.append(dict(self.headers))
            self.rfile.read(int(self.headers.get("content-length", 0)))
            answer(self)

        do_POST = do_GET

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_port}", received
        finally:
            listening.shutdown()
            thread.join()


def send_json(handler, value):
    body = json.dumps(value).encode()
    handler.send_response(200)
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


class AirflowTest(unittest.TestCase):
    def test_no_redirect_gets_the_token(self):
        airflow = plugin()
        for status in (301, 302, 303, 307, 308):
            with server(lambda handler: send_json(handler, {"applications": []})) as (other, received):

                def redirect(handler, status=status, other=other):
                    handler.send_response(status)
                    handler.send_header("location", other)
                    handler.send_header("content-length", "0")
                    handler.end_headers()

                with server(redirect) as (collector, _), mock.patch.dict("os.environ", SPARKPROF_SERVER_TOKEN="secret"):
                    with self.assertRaisesRegex(OSError, f"answered {status}"):
                        airflow._applications(collector, "nightly.count", 0, 0)
                    self.assertEqual(airflow._verdict(collector, "app-1"), "")
                self.assertEqual(received, [], status)

    def test_texts_of_a_job_stay_on_their_line_of_the_log(self):
        airflow = plugin()
        verdict = {"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": {"verdict": f"«{HOSTILE}»"}}}
        with server(lambda handler: send_json(handler, verdict)) as (collector, _):
            text = airflow.describe(collector, {"id": "app-1\r\n", "status": HOSTILE, "durationMs": 5}, [])
        self.assertTrue(text.isprintable(), text)
        self.assertTrue(text.endswith("x\ufffd[31m FAKE LINE\ufffd2J \ufffd\ufffd"), text)

    def test_errors_stay_on_their_line_of_the_log(self):
        airflow = plugin()
        with self.assertLogs("airflow.task.sparkprof") as logs, airflow._harmless("report"):
            raise ValueError(HOSTILE)
        self.assertTrue(logs.records[0].getMessage().isprintable())
