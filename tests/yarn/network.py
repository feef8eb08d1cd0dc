# SPDX-License-Identifier: Apache-2.0
"""Hosts on this machine: network namespaces with addresses and names of their own on a bridge. For the namespaces of tests/clusters/run."""

import pathlib
import socket

from support import execute

BRIDGE = "sparkprof0"
THIS_HOST = "master"
NETWORK = "10.245.0"
HOSTS = pathlib.Path("/run/hosts")


def ip(*arguments):
    execute("ip", *arguments)


def create_hosts(names):
    """A bridge, which is THIS_HOST, and these hosts behind it."""
    addresses = {THIS_HOST: f"{NETWORK}.1", **{name: f"{NETWORK}.{10 + number}" for number, name in enumerate(names)}}
    HOSTS.write_text("127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for name, address in addresses.items()))
    execute("mount", "--bind", HOSTS, "/etc/hosts")
    socket.sethostname(THIS_HOST)
    ip("link", "set", "lo", "up")
    ip("link", "add", BRIDGE, "type", "bridge")
    ip("addr", "add", f"{addresses[THIS_HOST]}/24", "dev", BRIDGE)
    ip("link", "set", BRIDGE, "up")
    for name in names:
        ip("netns", "add", name)
        ip("link", "add", f"to-{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
        ip("link", "set", f"to-{name}", "master", BRIDGE, "up")
        ip("-n", name, "addr", "add", f"{addresses[name]}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            ip("-n", name, "link", "set", device, "up")


def command_on(name):
    """The words that run the command behind them on the host, in the same process."""
    return ("ip", "netns", "exec", name, "unshare", "--uts", "sh", "-c", f'hostname {name}; exec "$@"', "sh")


def set_link(name, state):
    """Connects the host ("up"), or cuts its cable ("down")."""
    ip("link", "set", f"to-{name}", state)
