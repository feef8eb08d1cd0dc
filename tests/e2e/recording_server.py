# SPDX-License-Identifier: Apache-2.0
"""A stand-in for `sparkprof serve`: keeps the blocks that it receives, and can misbehave.

    recording_server.py PORT FOLDER [--token TOKEN] [--mode store|hang]

Each block is stored once, in the order of arrival, in FOLDER/blocks.sprof. FOLDER/requests.log has one line for each request.
FOLDER/configuration.json, if it is there, is the configuration of every group. The first line of output is the port.
"""

import argparse
import json
import pathlib
import time

from http_stub import stub_server
from support import blocks_of

JSON = {"Content-Type": "application/json"}


class Store:
    """Answers as the collector does about recordings and the configuration of groups."""

    def __init__(self, folder, token, mode):
        self.folder, self.token, self.mode = folder, token, mode
        self.blocks = folder / "blocks.sprof"
        self.known = set(blocks_of(self.blocks.read_bytes())) if self.blocks.exists() else set()

    def answer(self, request, body):
        path = request.path
        if self.mode == "hang":
            self.log(path, "hang")
            time.sleep(3600)
        if self.token and request.headers["Authorization"] != f"Bearer {self.token}":
            self.log(path, "unauthorized")
            return self.error(401, "unauthorized", "a token is required")
        if request.command == "GET":
            self.log(path, "get")
            file = self.folder / "configuration.json"
            return 200, file.read_text() if file.exists() else json.dumps({"version": 0, "configuration": {}}), JSON
        try:
            blocks = blocks_of(body)
        except ValueError as error:
            return self.error(400, "damaged", str(error))
        new = [block for block in blocks if block not in self.known]
        with open(self.blocks, "ab") as file:
            file.write(b"".join(new))
        self.known.update(new)
        self.log(path, f"stored {len(new)} duplicates {len(blocks) - len(new)}")
        return 200, json.dumps({"blocks": len(blocks), "duplicates": len(blocks) - len(new), "applications": []}), JSON

    @staticmethod
    def error(status, code, message):
        return status, json.dumps({"error": {"code": code, "message": message}}), JSON

    def log(self, path, what):
        with open(self.folder / "requests.log", "a", encoding="utf-8") as file:
            file.write(f"{time.time():.3f} {path} {what}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--token", default="")
    parser.add_argument("--mode", default="store", choices=["store", "hang"])
    arguments = parser.parse_args()
    server = stub_server(Store(arguments.folder, arguments.token, arguments.mode).answer, arguments.port)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
