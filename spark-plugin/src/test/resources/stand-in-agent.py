#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for the agent in tests: answers READY and writes every frame it gets as one JSON line.

The lines go to SPARKPROF_STAND_IN_DIR/PID.jsonl. With forward=1 it sends a block for each DUMPED, and one at the end.
"""

import json
import os
import struct
import sys

NAMES = {1: "HELLO", 2: "TASK_BEGIN", 3: "TASK_END", 4: "SPARK_EVENT", 5: "DUMPED", 6: "IDENTITY", 7: "LOSS", 8: "NOTICE", 9: "STOPPING"}


def pairs(payload):
    strings, at = [], 0
    while at < len(payload):
        (length,) = struct.unpack_from(">I", payload, at)
        strings.append(payload[at + 4 : at + 4 + length].decode())
        at += 4 + length
    return dict(zip(strings[::2], strings[1::2]))


def content(kind, payload):
    if kind in (1, 6, 7):
        return pairs(payload)
    if kind == 2:
        keys = ("ns", "tid", "stage", "stage_attempt", "partition", "attempt", "thread", "sql")
        return dict(zip(keys, struct.unpack(">qqiiiiiq", payload)))
    if kind == 3:
        return dict(zip(("ns", "tid", "thread", "status"), struct.unpack(">qqiB", payload)))
    if kind == 4:
        return json.loads(payload)
    if kind == 5:
        return dict(zip(("ns", "samples", "skipped", "overflows"), struct.unpack(">qqqq", payload)))
    if kind == 8:
        return {"level": payload[0], "text": payload[1:].decode()}
    return {}


def send(out, kind, payload):
    out.write(struct.pack(">BI", kind, len(payload)) + payload)
    out.flush()


def main():
    jfr = os.memfd_create("stand-in")
    source, out = sys.stdin.buffer, sys.stdout.buffer
    path = os.path.join(os.environ["SPARKPROF_STAND_IN_DIR"], f"{os.getpid()}.jsonl")
    blocks, frames, forward = 0, 0, False
    with open(path, "w", buffering=1) as log:
        while True:
            head = source.read(5)
            if len(head) < 5:
                break
            kind, length = struct.unpack(">BI", head)
            value = content(kind, source.read(length))
            log.write(json.dumps({"frame": NAMES.get(kind, str(kind)), **{"value": value}}) + "\n")
            if kind == 1:
                forward = value["forward"] == "1"
                send(out, 1, f"/proc/{os.getpid()}/fd/{jfr}".encode())
            if kind == 5 and forward:
                send(out, 2, b"block%d;" % blocks)
                blocks += 1
            frames += 1
            send(out, 4, struct.pack(">q", frames))
        if forward:
            send(out, 2, b"last;")
        log.write(json.dumps({"frame": "EOF", "value": {"jfr_bytes": os.fstat(jfr).st_size, "blocks": blocks}}) + "\n")


main()
