#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes 10,000 event logs in a folder and prints how long `sparkprof serve --watch` takes to list them:
event_log_listing.py SPARKPROF [COUNT]"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent


def make_logs(folder, count):
    maker = HERE.parent / "tests" / "cases" / "event_log.py"
    made = subprocess.run([sys.executable, maker, "end=9000", "450 duration=1000"], capture_output=True, check=True).stdout
    # Spark's form, without blanks: its History Server finds no others in a list.
    events = [json.loads(line) for line in made.splitlines()]
    begin, *rest = (
        json.dumps(event, separators=(",", ":")).encode() + b"\n" for event in events if event["Event"] != "SparkListenerApplicationStart"
    )
    rest = b"".join(rest)
    for number in range(count):
        start = {
            "Event": "SparkListenerApplicationStart",
            "App Name": f"job {number % 50}",
            "App ID": f"app-{number}",
            "Timestamp": 1_700_000_000_000 + number,
            "User": "ada",
        }
        (folder / f"app-{number}").write_bytes(begin + json.dumps(start, separators=(",", ":")).encode() + b"\n" + rest)
    return (folder / "app-0").stat().st_size


def main(program, count=10_000):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "logs"
        folder.mkdir()
        size = make_logs(folder, count)
        begin = time.monotonic()
        command = ["taskset", "-c", "0", program, "serve", "--listen", "127.0.0.1:0", "--data", f"{temporary}/data", "--watch", folder]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            url = server.stderr.readline().split()[-1]
            while True:
                with urllib.request.urlopen(url + "api/sparkprof/v1/applications?limit=1") as answer:
                    if json.load(answer)["total"] >= count:
                        break
                time.sleep(0.1)
            wall = time.monotonic() - begin
            ticks = pathlib.Path(f"/proc/{server.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
            cpu = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
            print(f"{count} event logs of {size / 1e3:.0f} kB listed in {wall:.1f} s, CPU {cpu:.1f} s, on one core")
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
