#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A contest of tools for agents: who names the cause of a slow job within five calls? Any agent plays, with any MCP server:

    contest.py serve JOB TRANSCRIPT -- COMMAND...    a server on standard input and output for one job and one player
    contest.py score TRANSCRIPT...                   a line for each server and each transcript; exit code 1 if none is complete

`serve` forwards messages between the agent and COMMAND, which has the job's log (`sparkprof mcp LOG`, or the MCP server of another tool
on a History Server that has it), and adds a tool, name_cause, whose answers are sentences of plain English, the same for all servers.
TRANSCRIPT gets a line for each call of a tool. JOB is one that bench/truth_of_findings.py keeps, or healthy; its cause is not told to
anybody. Use one transcript for each game, and give all servers the same logs."""

import argparse
import collections
import json
import pathlib
import re
import statistics
import subprocess
import sys
import threading
import time

from planted import REPOSITORY, planted

MOST_CALLS = 5
HEALTHY = "nothing: the job has no problem worth a change"


def sentences():
    """{rule: its cause in plain English} of the rules that a job was planted for, from the tables of docs/findings.md."""
    text = (REPOSITORY / "docs" / "findings.md").read_text(encoding="utf-8")
    wanted = set().union(*planted().values())
    rows = re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \|", text, re.MULTILINE)
    return {rule: re.split(r"; |\. ", condition)[0] for rule, condition in reversed(rows) if rule in wanted}


def answer_tool():
    return {
        "name": "name_cause",
        "description": f"Ends the game: call it once, after at most {MOST_CALLS} calls of the other tools, with what made the job slow or fail.",
        "inputSchema": {
            "type": "object",
            "properties": {"cause": {"type": "string", "enum": sorted({*sentences().values(), HEALTHY})}},
            "required": ["cause"],
        },
    }


class Game:
    """Messages of one player on their way to a server and back."""

    def __init__(self, command, transcript, job):
        self.transcript, self.begin, self.lock = transcript, time.monotonic(), threading.Lock()
        self.asked = {}  # ID of a message that has no answer yet: its method, and the tool that it calls
        self.record(job=job, server=command)
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def record(self, **line):
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"seconds": round(time.monotonic() - self.begin, 3), **line}) + "\n")

    def send(self, message):
        with self.lock:
            print(json.dumps(message), flush=True)

    def from_player(self, message):
        parameters = message.get("params") or {}
        tool = parameters.get("name") if message.get("method") == "tools/call" else None
        if tool == "name_cause":
            self.record(cause=(parameters.get("arguments") or {}).get("cause"))
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": {"content": [{"type": "text", "text": "The game is over."}]}})
            return
        if tool:
            self.record(tool=tool, arguments=parameters.get("arguments"))
        if "id" in message:
            self.asked[message["id"]] = (message.get("method"), tool)
        self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.flush()

    def from_server(self, message):
        method, tool = self.asked.pop(message.get("id"), (None, None)) if "method" not in message else (None, None)
        if method == "tools/list" and "result" in message and not message["result"].get("nextCursor"):
            message["result"]["tools"].append(answer_tool())
        if method in ("tools/list", "tools/call"):
            self.record(answer=tool or method, characters=len(json.dumps(message.get("result", message.get("error")))))
        self.send(message)

    def play(self):
        def pass_answers():
            for line in self.server.stdout:
                self.from_server(json.loads(line))

        answers = threading.Thread(target=pass_answers)
        answers.start()
        for line in sys.stdin:
            if line.strip():
                self.from_player(json.loads(line))
        self.server.stdin.close()
        answers.join()
        return self.server.wait()


def result(path):
    """Server, job, calls before the answer, characters that the player read, and whether the answer is right; None without an answer."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    server, job = " ".join(lines[0]["server"][:2]), lines[0]["job"]
    calls = sum("tool" in line for line in lines)
    characters = sum(line.get("characters", 0) for line in lines)
    causes = [line["cause"] for line in lines if "cause" in line]
    if not causes:
        return server, job, calls, characters, None
    meaning = sentences()
    wanted = {meaning[rule] for rule in planted().get(job, ()) if rule in meaning} or {HEALTHY}
    return server, job, calls, characters, calls <= MOST_CALLS and causes[0] in wanted


def score(paths):
    by_server = collections.defaultdict(list)
    for path in paths:
        server, job, calls, characters, right = result(path)
        print(
            f"{'no answer' if right is None else 'right' if right else 'WRONG':10}{job:22}{calls} calls, {characters} characters: {server}"
        )
        by_server[server].append((right, calls, characters))
    for server, games in by_server.items():
        right = sum(game[0] is True for game in games)
        calls, characters = (statistics.median(game[at] for game in games) for at in (1, 2))
        print(
            f"{server}: {right} of {len(games)} causes named within {MOST_CALLS} calls; median {calls:g} calls, {characters:g} characters"
        )
    return 0 if any(game[0] is not None for games in by_server.values() for game in games) else 1


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = options.add_subparsers(dest="action", required=True)
    serve = actions.add_parser("serve")
    serve.add_argument("job")
    serve.add_argument("transcript", type=pathlib.Path)
    serve.add_argument("command", nargs="+")
    scored = actions.add_parser("score")
    scored.add_argument("transcripts", nargs="+", type=pathlib.Path)
    options = options.parse_args()
    if options.action == "score":
        return score(options.transcripts)
    if options.transcript.exists():
        sys.exit(f"{options.transcript} exists: use a new file for each game")
    return Game(options.command, options.transcript, options.job).play()


if __name__ == "__main__":
    sys.exit(main())
