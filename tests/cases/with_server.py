# SPDX-License-Identifier: Apache-2.0
"""Runs a command of bash while a collector serves ./data: `with-server [OPTION…] COMMAND`. URL is its address for the command."""

import os
import subprocess
import sys


def main(arguments):
    *options, command = arguments
    server = subprocess.Popen(
        ["sparkprof", "serve", "--listen", "127.0.0.1:0", "--data", "data", *options], stderr=subprocess.PIPE, text=True
    )
    try:
        first = server.stderr.readline()
        if "serving " not in first:
            sys.exit(first)
        url = first.split()[-1].rstrip("/")
        return subprocess.run(["bash", "-c", command], env={**os.environ, "URL": url}, check=False).returncode
    finally:
        server.terminate()
        server.stderr.close()
        server.wait()


sys.exit(main(sys.argv[1:]))
