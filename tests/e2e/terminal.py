# SPDX-License-Identifier: Apache-2.0
"""Commands on a terminal of their own."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from support import SPARKPROF


def open_terminal(rows=24, columns=80):
    """The side of the user, and that of the program."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    return controller, terminal


def on_terminal(*arguments, columns=80, folder=None, errors=False, strip=False, **variables):
    """The exit code of sparkprof, and what a terminal as standard output got; `errors`: and as standard error, `strip`: without
    colors."""
    controller, terminal = open_terminal(columns=columns)
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"} | variables
    pipes = {"stdin": subprocess.DEVNULL, "stdout": terminal, "stderr": terminal if errors else subprocess.DEVNULL}
    with subprocess.Popen([SPARKPROF, *map(str, arguments)], cwd=folder, env=environment, **pipes) as process:
        os.close(terminal)
        text = b""
        try:
            while data := os.read(controller, 65536):
                text += data
        except OSError:  # the other side is closed
            pass
    os.close(controller)
    shown = text.decode().replace("\r\n", "\n")
    return process.returncode, re.sub(r"\033\[[0-9;]*m", "", shown) if strip else shown
