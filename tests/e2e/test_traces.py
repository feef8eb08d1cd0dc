# SPDX-License-Identifier: Apache-2.0
"""Spans of an application as OTLP traces: in a file, sent to a server, and through a real OpenTelemetry collector."""

import json
import os
import unittest

from collector import OTEL_COLLECTOR, start_otel
from http_stub import answering
from support import OLD_RECORDING, PEERS, TestCase, execute, sparkprof, wait_until

OTLP_PYTHON = PEERS / "python" / "bin" / "python"
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


def spans_of(request):
    return [span for one in request["resourceSpans"] for scope in one["scopeSpans"] for span in scope["spans"]]


class TracesTest(TestCase):
    def receiver(self, status=200):
        """The address of a server, and the list of what is posted to it."""
        requests = []

        def answer(request, body):
            requests.append((request.path, dict(request.headers), body))
            return status, "", {}

        return self.enter(answering(answer)), requests

    def write(self, output, code=0, **environment):
        command = ["report", OLD_RECORDING, "--traces", output]
        return sparkprof(*command, code=code, cwd=self.folder, env=os.environ | environment)

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
        refused = self.write("job.json", code=2, TRACEPARENT="00-1-2-01")
        self.assertIn("TRACEPARENT: not a traceparent", refused.stderr)

    def test_spans_are_sent_with_the_headers_of_the_environment(self):
        url, requests = self.receiver()
        self.write(f"{url}/v1/traces", OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20secret")
        [(path, headers, body)] = requests
        self.assertEqual((path, headers["content-type"], headers["authorization"]), ("/v1/traces", "application/json", "Bearer secret"))
        self.assertTrue(spans_of(json.loads(body)))

    def test_a_refusal_is_an_error(self):
        url, _ = self.receiver(status=403)
        self.assertIn("the server answered 403", self.write(f"{url}/v1/traces", code=2).stderr)

    @unittest.skipUnless(OTEL_COLLECTOR.exists() and OTLP_PYTHON.exists(), "scripts/setup peers installs the OpenTelemetry collector")
    def test_an_opentelemetry_collector_accepts_and_forwards_the_spans(self):
        url, requests = self.receiver()
        collector = start_otel(self, "traces", {"endpoint": url, "compression": "none"})
        wait_until(lambda: self.write(f"{collector}/v1/traces", code=None).returncode == 0, "the OpenTelemetry collector")
        wait_until(lambda: requests, "the forwarded spans")
        (self.folder / "request").write_bytes(requests[0][2])
        spans = json.loads(execute(OTLP_PYTHON, "-c", READ_REQUEST, self.folder / "request").stdout)
        self.write("job.json")
        sent = spans_of(json.loads((self.folder / "job.json").read_text()))
        self.assertEqual(sorted(name for name, _, _ in spans), sorted(span["name"] for span in sent))
        self.assertEqual({trace for _, _, trace in spans}, {sent[0]["traceId"]})
        parents = {name: parent for name, parent, _ in spans}
        self.assertTrue(all(parents[name].startswith("job ") for name in parents if name.startswith("stage ")), parents)
