# SPDX-License-Identifier: Apache-2.0
"""%%sparkprof in JupyterLab: a real server and kernel, and Chromium that runs the cells."""

import json
import os
import shutil
import sys
import unittest
import urllib.request
from pathlib import Path

from small_logs import made_log
from spark_jobs import Spark
from support import OLD_RECORDING, PEERS, REPOSITORY, SLOW, SPARKPROF, TestCase, execute, free_port, sparkprof, wait_until

PYTHON = PEERS / "jupyter" / "bin" / "python"
WEB = REPOSITORY / "web"
TOKEN = "notebook-token"
CELLS = [
    "from pyspark.sql import SparkSession\n"
    "session = (SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false')\n"
    "    .config('spark.jars', {jar!r}).config('spark.plugins', 'org.sparkprof.SparkProfPlugin')\n"
    "    .config('spark.sparkprof.dir', {spool!r}).getOrCreate())\n"
    "%load_ext sparkprof",
    "%%sparkprof\n"
    "import time\n"
    "def wait_for(number):\n"
    "    time.sleep(0.2)\n"
    "    return number\n"
    "session.sparkContext.parallelize(range(60), 2).map(wait_for).count()",
]


def notebook(cells):
    return {
        "cells": [
            {"cell_type": "code", "id": f"c{number}", "metadata": {}, "source": text, "outputs": [], "execution_count": None}
            for number, text in enumerate(cells)
        ],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


@unittest.skipUnless(
    SLOW and PYTHON.exists() and shutil.which("node") and (WEB / "node_modules" / "playwright-core").exists() and shutil.which("chromium"),
    "in the slow set: make test-all; needs Jupyter, Node.js and Chromium",
)
class JupyterTest(TestCase):
    def start_server(self):
        spark = Spark()
        path = os.pathsep.join(map(str, [REPOSITORY / "python", spark.home.parent]))
        environment = spark.environment(
            PYTHONPATH=path, SPARKPROF_BIN=SPARKPROF, PYSPARK_PYTHON=PYTHON, HOME=self.folder, JUPYTER_PLATFORM_DIRS="1"
        )
        port = free_port()
        options = ["--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}"]
        command = [PYTHON, "-m", "jupyterlab", *options, f"--ServerApp.root_dir={self.folder}"]
        server = self.start(*command, env=environment, cwd=self.folder)
        url = f"http://127.0.0.1:{port}"

        def is_up():
            self.assertIsNone(server.poll(), self.printed())
            try:
                return urllib.request.urlopen(f"{url}/api/status?token={TOKEN}", timeout=10).status == 200
            except OSError:
                return False

        wait_until(is_up, "the Jupyter server")
        return url

    def test_a_cell_shows_its_verdict_its_lines_and_its_flame_graph(self):
        jar, spool = str(REPOSITORY / "lib" / "sparkprof-spark.jar"), f"file:{self.folder}/spool"
        cells = [CELLS[0].format(jar=jar, spool=spool), CELLS[1]]
        (self.folder / "cost.ipynb").write_text(json.dumps(notebook(cells)))
        url = self.start_server()
        screenshot = Path(os.environ.get("SPARKPROF_SCREENSHOTS", self.folder)) / "jupyter.png"
        page = f"{url}/lab/tree/cost.ipynb?token={TOKEN}"
        shown = json.loads(execute("node", Path(__file__).with_name("jupyter_page.mjs"), WEB, page, 2, screenshot).stdout)
        self.assertIn("1 Spark job.", shown["text"])
        self.assertIn(".map(wait_for).count()", shown["text"])  # the line of the cell
        self.assertEqual(shown["problems"], [])
        self.assertGreater(screenshot.stat().st_size, 10_000)


# The web view in which VS Code shows outputs has this policy.
POLICY = (
    "default-src 'none'; script-src https://*.vscode-cdn.net 'unsafe-inline' 'unsafe-eval'; style-src https://*.vscode-cdn.net "
    "'unsafe-inline'; img-src https: http: data:; font-src https:; connect-src https:; child-src https: data:;"
)
COST = """\
import pathlib, sys
from sparkprof.notebook import Cost
cost = Cost()
cost.seconds, cost.jobs = 3.0, 1
cost.flame_graph = pathlib.Path(sys.argv[1]).read_text()
print(cost._repr_html_())
"""


@unittest.skipUnless(
    shutil.which("node") and (WEB / "node_modules" / "playwright-core").exists() and shutil.which("chromium"), "needs Node.js and Chromium"
)
class WebViewTest(TestCase):
    def test_the_flame_graph_is_drawn_under_the_policy_of_vs_code(self):
        flame, page = self.folder / "flame.html", self.folder / "page.html"
        sparkprof("flame", OLD_RECORDING, "-o", flame)
        environment = os.environ | {"PYTHONPATH": str(REPOSITORY / "python")}
        output = execute(sys.executable, "-c", COST, flame, env=environment).stdout
        head = f'<!DOCTYPE html><meta charset="UTF-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        page.write_text(head + output, encoding="utf-8")
        shown = execute("node", Path(__file__).with_name("webview_page.mjs"), WEB, page).stdout
        self.assertIn("Flame graph", json.loads(shown)["graph"])
        self.assertEqual(json.loads(shown)["problems"], [])


@unittest.skipUnless(SLOW and PYTHON.exists(), "in the slow set: make test-all; scripts/setup peers installs Jupyter")
class FleetNotebookTest(TestCase):
    def test_the_notebook_of_the_fleet_runs_on_the_result_of_an_analysis(self):
        logs = self.folder / "logs"
        logs.mkdir()
        for number in range(3):
            (logs / f"app-{number}").write_bytes(made_log("40 duration=2000", "1 duration=60000"))
        sparkprof("fleet", "analyze", logs, "--output", self.folder / "fleet")
        command = [PYTHON, "-m", "nbconvert", "--to", "markdown", "--execute", "--stdout", REPOSITORY / "deploy" / "fleet" / "fleet.ipynb"]
        environment = os.environ | {"FLEET": str(self.folder / "fleet"), "HOME": str(self.folder)}
        ran = execute(*command, env=environment, cwd=self.folder)
        self.assertIn("straggler", ran.stdout)
        self.assertIn("wastedPercent", ran.stdout)
