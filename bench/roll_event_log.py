#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts a plain event log into the parts of a rolling one, as spark.eventLog.rolling.maxFileSize does:
roll_event_log.py LOG FOLDER [MEGABYTES] [--zstd]. Writes FOLDER/eventlog_v2_ID; parts have 128 MB by default."""

import argparse
import json
import pathlib
import subprocess


class Part:
    def __init__(self, path, compressed):
        self.size = 0
        self.output = open(f"{path}.zstd" if compressed else path, "wb")
        self.compressor = subprocess.Popen(["zstd", "-q", "-1", "-c"], stdin=subprocess.PIPE, stdout=self.output) if compressed else None

    def write(self, line):
        self.size += len(line)
        (self.compressor.stdin if self.compressor else self.output).write(line)

    def close(self):
        if self.compressor:
            self.compressor.stdin.close()
            if self.compressor.wait() != 0:
                raise SystemExit("zstd failed")
        self.output.close()


def application_id(log):
    with open(log, "rb") as lines:
        for line in lines:
            event = json.loads(line)
            if event["Event"] == "SparkListenerApplicationStart":
                return event["App ID"]
    raise SystemExit(f"{log}: no application start event")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("megabytes", type=int, nargs="?", default=128)
    parser.add_argument("--zstd", action="store_true", help="compress each part")
    options = parser.parse_args()
    name = application_id(options.log)
    folder = options.folder / f"eventlog_v2_{name}"
    folder.mkdir(parents=True)
    (folder / f"appstatus_{name}").touch()
    number = 1
    part = Part(folder / f"events_{number}_{name}", options.zstd)
    with open(options.log, "rb") as lines:
        for line in lines:
            if part.size > 0 and part.size + len(line) > options.megabytes * 1_000_000:
                part.close()
                number += 1
                part = Part(folder / f"events_{number}_{name}", options.zstd)
            part.write(line)
    part.close()
    print(folder)


if __name__ == "__main__":
    main()
