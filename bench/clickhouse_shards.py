#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command with two ClickHouse servers, the shards of the cluster "two"; {} in it becomes their addresses:
clickhouse_shards.py build/bench/bench/catalogue_bench {} two [APPLICATIONS]"""

import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

CONFIG = """<yandex><logger><level>warning</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
<tcp_port>{tcp}</tcp_port><http_port>{http}</http_port><interserver_http_port>{other}</interserver_http_port>
<listen_host>127.0.0.1</listen_host><interserver_http_host>127.0.0.1</interserver_http_host>
<path>{folder}/</path><tmp_path>{folder}/tmp/</tmp_path><users_config>{folder}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size><remote_servers><two>{shards}</two></remote_servers>{more}</yandex>"""
USERS = """<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password/><networks>
<ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>"""
SHARD = "<shard><replica><host>127.0.0.1</host><port>{}</port></replica></shard>"


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def start(folder, ports, shards, more=""):
    """`more`: further XML of its configuration."""
    (folder / "tmp").mkdir(parents=True, exist_ok=True)
    tcp, http, other = ports
    (folder / "config.xml").write_text(CONFIG.format(folder=folder, tcp=tcp, http=http, other=other, shards=shards, more=more))
    (folder / "users.xml").write_text(USERS)
    program = shutil.which("clickhouse-server") or "/usr/sbin/clickhouse-server"
    return subprocess.Popen([program, f"--config-file={folder}/config.xml"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def await_ready(url):
    for _ in range(600):
        try:
            with urllib.request.urlopen(url + "/ping", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"ClickHouse does not answer at {url}")


def main(command):
    ports = free_ports(6)
    shards = "".join(SHARD.format(port) for port in ports[::3])
    urls = [f"http://127.0.0.1:{port}" for port in ports[1::3]]
    with tempfile.TemporaryDirectory() as temporary:
        servers = [start(pathlib.Path(temporary) / str(shard), ports[3 * shard : 3 * shard + 3], shards) for shard in range(2)]
        try:
            for url in urls:
                await_ready(url)
            return subprocess.run([word.replace("{}", ",".join(urls)) for word in command], check=False).returncode
        finally:
            for server in servers:
                server.kill()
                server.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
