# SPDX-License-Identifier: Apache-2.0
"""Servers on loopback that answer as a test says."""

import contextlib
import http.server
import json
import threading


def stub_server(answer, port=0):
    """Answers each request with answer(request, body): a status, a text or bytes, and {header: value}."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, content, headers = answer(self, body)
            content = content.encode() if isinstance(content, str) else content
            self.send_response(status)
            for name, value in {"Content-Length": len(content), **headers}.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

        def log_message(self, *_):
            pass

    return http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)


@contextlib.contextmanager
def answering(answer):
    """The address of a stub_server()."""
    with stub_server(answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


class Receiver(contextlib.ExitStack):
    """A webhook: keeps what it gets. Answers the first requests with `statuses`, later ones with 200."""

    def __init__(self, *statuses):
        super().__init__()
        self.bodies, self.statuses = [], list(statuses)
        self.url = self.enter_context(answering(self.answer)) + "/hook/secret-path"

    def answer(self, _, body):
        status = self.statuses.pop(0) if self.statuses else 200
        if status == 200:
            self.bodies.append(json.loads(body))
        return status, "", {}
