# SPDX-License-Identifier: Apache-2.0
"""Runs cells in an IPython kernel as VS Code does, and prints as JSON for each the status of the reply and the messages that it shows:

    kernel_cells.py <cells.json

Its Python is that of $SPARKPROF_CACHE/peers/jupyter."""

import json
import sys

from jupyter_client.manager import start_new_kernel

PATIENCE = 120  # seconds
SHOWN = ("display_data", "execute_result", "error", "stream")


def run(client, number, cell):
    request = {"code": cell, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": True, "stop_on_error": True}
    message = client.session.msg("execute_request", request)
    message["metadata"] = {"cellId": f"vscode-notebook-cell:/cost.ipynb#W{number}sZmlsZQ%3D%3D", "deletedCells": [], "trusted": True}
    client.shell_channel.send(message)
    shown = []
    while True:
        got = client.get_iopub_msg(timeout=PATIENCE)
        if got["parent_header"].get("msg_id") != message["header"]["msg_id"]:
            continue
        if got["msg_type"] in SHOWN:
            shown.append({"type": got["msg_type"], **got["content"]})
        if got["msg_type"] == "status" and got["content"]["execution_state"] == "idle":
            break
    return {"status": client.get_shell_msg(timeout=PATIENCE)["content"]["status"], "shown": shown}


manager, client = start_new_kernel(startup_timeout=PATIENCE)
try:
    print(json.dumps([run(client, number, cell) for number, cell in enumerate(json.load(sys.stdin))]))
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
