#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of a recording for servers that share a store: store_cost.py RECORDING [NODES [COPIES]] posts the blocks of a .sprof file to the
first of NODES (2) servers on a folder, COPIES (1) times under other names of the application, and prints one JSON object: blocks,
samples, bytes and hours of one copy, the CPU time of each server until all of them list everything, requests to the store, the
time of the list, and how long a new server needs until it lists everything. SPARKPROF_STORE names another store."""

import datetime
import json
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "e2e"))
from collector import Collector  # noqa: E402
from support import blocks_of, sparkprof, wait_until  # noqa: E402


def cpu_seconds(server):
    ticks = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")


def requests(server):
    found = re.findall(r"^sparkprof_store_(puts|gets|lists)_total (\d+)", server.metrics(), re.M)
    return {name: int(count) for name, count in found}


def post(server, blocks, tenant):
    for block in blocks:
        wait_until(lambda block=block: server.post(block, token=f"ingest-of-tenant-{tenant}").status == 200, "an acknowledged block")


def main():
    recording = pathlib.Path(sys.argv[1])
    nodes, copies = (int(text) for text in (sys.argv[2:] + ["2", "1"][len(sys.argv) - 2 :])[:2])
    blocks = blocks_of(recording.read_bytes())
    facts = json.loads(sparkprof("info", recording, "--json").stdout)
    with tempfile.TemporaryDirectory(prefix="sparkprof-store-") as folder:
        store = os.environ.get("SPARKPROF_STORE", f"file://{folder}/store")
        # A tenant's copy is an application of its own.
        tokens = (
            "".join(f"ingest ingest-of-tenant-{tenant} tenant=t{tenant}\n" for tenant in range(copies)) + "admin admin-of-all-tenants\n"
        )
        path = pathlib.Path(folder) / "tokens"
        path.write_text(tokens)
        path.chmod(0o600)
        servers = [Collector(store, "--tokens", path, token="admin-of-all-tenants") for _ in range(nodes)]
        idle = [cpu_seconds(server) for server in servers]
        begin = time.monotonic()
        for tenant in range(copies):
            post(servers[0], blocks, tenant)
        posted = time.monotonic() - begin
        for server in servers:
            server.wait_for(lambda rows: len(rows) == copies and all(row["status"] != "running" for row in rows), "all applications")
        used = [round(cpu_seconds(server) - before, 2) for server, before in zip(servers, idle, strict=True)]
        asked = [requests(server) for server in servers]
        times = []
        for _ in range(20):
            begin = time.monotonic()
            servers[-1].get("/applications", limit=100)
            times.append((time.monotonic() - begin) * 1000)
        begin = time.monotonic()
        new = Collector(store, "--tokens", path, token="admin-of-all-tenants")
        new.wait_for(lambda rows: len(rows) == copies, "all applications")
        started = time.monotonic() - begin
        for server in [*servers, new]:
            server.stop()
    samples = sum(event["count"] for event in facts["samples"].values())
    ends = [(run["startTime"], run["endTime"]) for run in facts["applications"]]
    hours = (max(end for _, end in ends) - min(start for start, _ in ends)) / 3_600_000
    print(
        json.dumps(
            {
                "date": datetime.date.today().isoformat(),
                "blocks": len(blocks),
                "samples": samples,
                "bytes": recording.stat().st_size,
                "hours": round(hours, 4),
                "copies": copies,
                "secondsToPost": round(posted, 2),
                "cpuSeconds": used,
                "requests": asked,
                "listMs": round(statistics.median(times), 1),
                "newServerSeconds": round(started, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
