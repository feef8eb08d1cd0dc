# SPDX-License-Identifier: Apache-2.0
"""A name server for the services of the cluster (RFC 1035). There is no kube-proxy, so that a service has its pods' addresses."""

import ipaddress
import re
import socketserver
import struct
import threading

PORT = 53
SERVICE = re.compile(r"([^.]+)\.([^.]+)\.svc\.cluster\.local")
HEADER = struct.Struct("!6H")  # ID, flags, numbers of questions, answers, authorities and additional records
ADDRESS_TYPE = 1
INTERNET = 1
FLAGS = 0x8180  # an answer; recursion is available
NO_SUCH_NAME = 3
TTL_SECONDS = 1


def name_and_end(message):
    """The name in question, and where it ends."""
    labels, at = [], HEADER.size
    while message[at]:
        labels.append(message[at + 1 : at + 1 + message[at]].decode())
        at += 1 + message[at]
    return ".".join(labels), at + 1


def answer(message, addresses_of):
    """The answer to a question for the addresses of a name; `addresses_of(SERVICE, NAMESPACE)` is None for an unknown one."""
    name, end = name_and_end(message)
    (kind,) = struct.unpack_from("!H", message, end)
    service = SERVICE.fullmatch(name)
    addresses = addresses_of(*service.groups()) if service else None
    records = [
        struct.pack("!3HIH", 0xC000 | HEADER.size, ADDRESS_TYPE, INTERNET, TTL_SECONDS, 4) + ipaddress.IPv4Address(address).packed
        for address in addresses or []
        if kind == ADDRESS_TYPE
    ]
    flags = FLAGS | (NO_SUCH_NAME if addresses is None else 0)
    (identity,) = struct.unpack_from("!H", message)
    return HEADER.pack(identity, flags, 1, len(records), 0, 0) + message[HEADER.size : end + 4] + b"".join(records)


def serve(host, addresses_of):
    """Answers on that address until the process ends."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            message, socket = self.request
            socket.sendto(answer(message, addresses_of), self.client_address)

    server = socketserver.ThreadingUDPServer((host, PORT), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
