# SPDX-License-Identifier: Apache-2.0
"""foreachPartition() sends each row to a service and waits for its answer. --fixed sends all rows of a partition at once."""

import socket
import sys
import threading
import time

from pyspark import SparkContext

IS_FIXED = "--fixed" in sys.argv


def serve(client):
    with client, client.makefile("rwb") as stream:
        for _ in stream:
            time.sleep(0.02)
            stream.write(b"stored\n")
            stream.flush()


def listen(server):
    while True:
        client, _ = server.accept()
        threading.Thread(target=serve, args=(client,), daemon=True).start()


server = socket.create_server(("127.0.0.1", 0))
port = server.getsockname()[1]
threading.Thread(target=listen, args=(server,), daemon=True).start()


def store(rows):
    with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile("rwb") as stream:
        for text in [" ".join(map(str, rows))] if IS_FIXED else map(str, rows):
            stream.write(text.encode() + b"\n")
            stream.flush()
            stream.readline()


sc = SparkContext(appName="Rows to service")
sc.parallelize(range(1_600), 8).foreachPartition(store)
sc.stop()
