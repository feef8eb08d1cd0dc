# SPDX-License-Identifier: Apache-2.0
"""Spans of an application as OTLP traces: in a file, sent to a server, and through a real OpenTelemetry collector."""

import http.server
import json
import os
import subprocess
import threading
import unittest

import support
from support import CACHE, REPOSITORY, TestCase, free_port, wait_until

RECORDING = REPOSITORY / "tests" / "cases" / "recordings" / "0.1.sprof"
OTEL_COLLECTOR = CACHE / "peers" / "otel-collector"
OTLP_PYTHON = CACHE / "peers" / "python" / "bin" / "python"
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"

# Reads a request as OpenTelemetry's own messages do, and prints (name, parent's name) of each span.
READ_REQUEST = """
import json, sys
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
request = ExportTraceServiceRequest.FromString(open(sys.argv[1], "rb").read())
spans = [span for one in request.resource_spans for scope in one.scope_spans for span in scope.spans]
names = {span.span_id: span.name for span in spans}
print(json.dumps([[span.name, names.get(span.parent_span_id, ""), span.trace_id.hex()] for span in spans]))
"""


class Receiver:
    """Keeps what is posted to it."""

    def __init__(self, status=200):
        self.requests = requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                requests.append((self.path, dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(status)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def spans_of(request):
    return [span for one in request["resourceSpans"] for scope in one["scopeSpans"] for span in scope["spans"]]


class TracesTest(TestCase):
    def receiver(self, **options):
        receiver = Receiver(**options)
        self.addCleanup(receiver.server.server_close)
        self.addCleanup(receiver.server.shutdown)
        return receiver

    def write(self, output, check=True, **environment):
        command = [support.SPARKPROF, "report", str(RECORDING), "--traces", str(output)]
        ran = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, env={**os.environ, **environment})
        if check:
            self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran

    def test_spans_form_one_tree_below_the_trace_of_the_environment(self):
        self.write("job.json", TRACEPARENT=f"00-{TRACE}-{SPAN}-01")
        spans = spans_of(json.loads((self.folder / "job.json").read_text()))
        self.assertEqual({span["traceId"] for span in spans}, {TRACE})
        ids = {span["spanId"] for span in spans}
        self.assertEqual(len(ids), len(spans))
        self.assertEqual([span["parentSpanId"] for span in spans if span["parentSpanId"] not in ids], [SPAN])
        self.assertTrue({"job", "stage"} <= {span["name"].split()[0] for span in spans})
        for span in spans:
            self.assertLessEqual(int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"]), span)
        self.assertFalse((self.folder / "report.html").exists())

    def test_a_damaged_traceparent_is_an_error(self):
        ran = self.write("job.json", check=False, TRACEPARENT="00-1-2-01")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("TRACEPARENT: not a traceparent", ran.stderr)

    def test_spans_are_sent_with_the_headers_of_the_environment(self):
        receiver = self.receiver()
        self.write(f"{receiver.url}/v1/traces", OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20secret")
        [(path, headers, body)] = receiver.requests
        self.assertEqual((path, headers["content-type"], headers["authorization"]), ("/v1/traces", "application/json", "Bearer secret"))
        self.assertTrue(spans_of(json.loads(body)))

    def test_a_refusal_is_an_error(self):
        receiver = self.receiver(status=403)
        ran = self.write(f"{receiver.url}/v1/traces", check=False)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("the server answered 403", ran.stderr)

    @unittest.skipUnless(OTEL_COLLECTOR.exists() and OTLP_PYTHON.exists(), "scripts/setup peers installs the OpenTelemetry collector")
    def test_an_opentelemetry_collector_accepts_and_forwards_the_spans(self):
        receiver = self.receiver()
        port = free_port()
        (self.folder / "otel.yaml").write_text(
            json.dumps(
                {
                    "receivers": {"otlp": {"protocols": {"http": {"endpoint": f"127.0.0.1:{port}"}}}},
                    "exporters": {"otlp_http": {"endpoint": receiver.url, "compression": "none"}},
                    "service": {
                        "telemetry": {"metrics": {"level": "none"}},
                        "pipelines": {"traces": {"receivers": ["otlp"], "exporters": ["otlp_http"]}},
                    },
                }
            )
        )
        log = open(self.folder / "otel.log", "w")
        self.addCleanup(log.close)
        collector = subprocess.Popen([OTEL_COLLECTOR, "--config", f"file:{self.folder}/otel.yaml"], stdout=log, stderr=log)
        self.addCleanup(collector.wait)
        self.addCleanup(collector.terminate)
        wait_until(lambda: self.write(f"http://127.0.0.1:{port}/v1/traces", check=False).returncode == 0, "the OpenTelemetry collector")
        wait_until(lambda: receiver.requests, "the forwarded spans")
        (self.folder / "request").write_bytes(receiver.requests[0][2])
        read = subprocess.run([OTLP_PYTHON, "-c", READ_REQUEST, self.folder / "request"], capture_output=True, text=True, check=True)
        spans = json.loads(read.stdout)
        self.write("job.json")
        sent = spans_of(json.loads((self.folder / "job.json").read_text()))
        self.assertEqual(sorted(name for name, _, _ in spans), sorted(span["name"] for span in sent))
        self.assertEqual({trace for _, _, trace in spans}, {sent[0]["traceId"]})
        parents = {name: parent for name, parent, _ in spans}
        self.assertTrue(all(parents[name].startswith("job ") for name in parents if name.startswith("stage ")), parents)


if __name__ == "__main__":
    unittest.main()
