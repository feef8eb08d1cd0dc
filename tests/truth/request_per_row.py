# SPDX-License-Identifier: Apache-2.0
"""A function opens a connection to a slow service for each row. --fixed keeps 30 requests under way."""

import sys
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv


class Service(BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(0.04)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.path.encode())

    def log_message(self, *arguments):
        pass


def look_up(address):
    with urllib.request.urlopen(address) as answer:
        return len(answer.read())


def look_up_each(batches):
    with ThreadPoolExecutor(30 if IS_FIXED else 1) as pool:
        for batch in batches:
            yield batch.assign(length=list(pool.map(look_up, batch["address"])))


service = ThreadingHTTPServer(("127.0.0.1", 0), Service)
service.daemon_threads = True
threading.Thread(target=service.serve_forever, daemon=True).start()
spark = SparkSession.builder.appName("Request per row").getOrCreate()
addresses = spark.range(0, 600, 1, 8).selectExpr(f"'http://127.0.0.1:{service.server_port}/' || id as address")
print("bytes:", addresses.mapInPandas(look_up_each, "address string, length long").agg({"length": "sum"}).collect())
spark.stop()
