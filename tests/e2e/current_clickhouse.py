# SPDX-License-Identifier: Apache-2.0
"""ClickHouse's HTTP interface on loopback, answered by a current release of its engine: PyPI chdb, in this process.
`python current_clickhouse.py FOLDER` prints the address, and answers until it is killed."""

import pathlib
import re
import sys
import tempfile
import threading
import urllib.parse

from chdb import session
from http_stub import stub_server

SETTINGS = "SET distributed_product_mode = 'local', max_query_size = 67108864, max_ast_elements = 1000000"


class Engine:
    """One query at a time."""

    def __init__(self, folder):
        self.session = session.Session(folder)
        self.lock = threading.Lock()
        self.session.query(SETTINGS)

    def answer(self, query, body):
        with self.lock:
            insert = re.fullmatch(r"INSERT INTO (\S+) FORMAT (\w+)", query)
            if not insert:
                return self.session.query((query or "") + body.decode(), "RowBinary").bytes()
            table, form = insert.groups()
            # The engine reads rows only from files, and needs the names and types of their columns.
            columns = self.session.query(f"DESCRIBE TABLE {table}", "TSVRaw").bytes().decode()
            structure = ", ".join(" ".join(line.split("\t")[:2]) for line in columns.splitlines())
            with tempfile.NamedTemporaryFile(suffix=".rows") as rows:
                rows.write(body)
                rows.flush()
                self.session.query(f"INSERT INTO {table} SELECT * FROM file('{rows.name}', '{form}', '{structure}')")
            return b""


def main(folder):
    engine = Engine(str(pathlib.Path(folder)))

    def answer(request, body):
        if request.command == "GET":
            return 200, "Ok.\n", {}
        parameters = urllib.parse.parse_qs(urllib.parse.urlsplit(request.path).query)
        try:
            return 200, engine.answer(parameters.get("query", [""])[0], body), {}
        except Exception as problem:  # the client gets the engine's message
            return 500, str(problem), {}

    server = stub_server(answer)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1])
