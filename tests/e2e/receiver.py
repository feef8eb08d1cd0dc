# SPDX-License-Identifier: Apache-2.0
"""A server that gets what webhooks send."""

import http.server
import json
import threading


class Receiver:
    """A webhook: keeps what it gets. Answers the first requests with `statuses`, later ones with 200."""

    def __init__(self, *statuses):
        self.bodies, answers = [], list(statuses)
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status = answers.pop(0) if answers else 200
                if status == 200:
                    receiver.bodies.append(body)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook/secret-path"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
