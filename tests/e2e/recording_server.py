# SPDX-License-Identifier: Apache-2.0
"""A stand-in for `sparkprof serve`: keeps the blocks that it receives, and can misbehave.

    recording_server.py PORT FOLDER [--token TOKEN] [--mode store|hang|busy]

Each block is stored once, in the order of arrival, in FOLDER/blocks.sprof. FOLDER/requests.log has one line for each request.
FOLDER/configuration.json, if it is there, is the configuration of every group. The first line of output is the port.
"""

import argparse
import http.server
import json
import pathlib
import struct
import time

HEADER = struct.Struct("<4sHHIIQ")  # src/model/block.h


def split_blocks(body):
    blocks = []
    while body:
        magic, _, _, length, _, _ = HEADER.unpack_from(body)
        if magic != b"SPRF" or HEADER.size + length > len(body):
            raise ValueError("not a whole block")
        blocks.append(body[: HEADER.size + length])
        body = body[HEADER.size + length :]
    return blocks


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.admitted():
            return
        try:
            blocks = split_blocks(body)
        except (ValueError, struct.error) as error:
            self.answer(400, {"error": {"code": "damaged", "message": str(error)}})
            return
        new = [block for block in blocks if block not in self.server.known]
        with open(self.server.folder / "blocks.sprof", "ab") as file:
            file.write(b"".join(new))
        self.server.known.update(new)
        self.log(f"stored {len(new)} duplicates {len(blocks) - len(new)}")
        self.answer(200, {"blocks": len(blocks), "duplicates": len(blocks) - len(new), "applications": []})

    def do_GET(self):
        if self.admitted():
            self.log("get")
            file = self.server.folder / "configuration.json"
            self.answer(200, json.loads(file.read_text()) if file.exists() else {"version": 0, "configuration": {}})

    def admitted(self):
        if self.server.mode == "hang":
            self.log("hang")
            time.sleep(3600)
        if self.server.mode == "busy":
            self.answer(503, {"error": {"code": "busy", "message": "too many writers"}}, {"Retry-After": "1"})
            return False
        if self.server.token and self.headers["Authorization"] != f"Bearer {self.server.token}":
            self.log("unauthorized")
            self.answer(401, {"error": {"code": "unauthorized", "message": "a token is required"}})
            return False
        return True

    def answer(self, status, content, headers=()):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log(self, what):
        with open(self.server.folder / "requests.log", "a", encoding="utf-8") as file:
            file.write(f"{time.time():.3f} {self.path} {what}\n")

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--token", default="")
    parser.add_argument("--mode", default="store", choices=["store", "hang", "busy"])
    arguments = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", arguments.port), Handler)
    server.daemon_threads = True
    server.folder, server.token, server.mode = arguments.folder, arguments.token, arguments.mode
    stored = arguments.folder / "blocks.sprof"
    server.known = set(split_blocks(stored.read_bytes())) if stored.exists() else set()
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
