# SPDX-License-Identifier: Apache-2.0
"""The contest of agents: calls of any MCP server are recorded, and the cause counts within five calls."""

import json
import subprocess
import sys

from run_case import PROGRAM, REPOSITORY
from support import TestCase, execute

sys.path.insert(0, str(REPOSITORY / "tests" / "mcp"))
from contest import sentences  # noqa: E402

CONTEST = REPOSITORY / "tests" / "mcp" / "contest.py"
EVENT_LOG = REPOSITORY / "tests" / "cases" / "event_log.py"


class ContestTest(TestCase):
    def play(self, name, job, calls, cause):
        """A player that makes these calls, all of the same tool, and then names the cause if it has one."""
        log = self.folder / "log"
        log.write_text(execute(sys.executable, EVENT_LOG, "15 duration=2000 records=1000", "1 duration=20000 records=90000").stdout)
        transcript = self.folder / f"{name}.jsonl"
        start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "player", "version": "1"}}
        messages = [("initialize", start), ("tools/list", {})]
        messages += [("tools/call", {"name": "diagnose", "arguments": {}})] * calls
        if cause:
            messages.append(("tools/call", {"name": "name_cause", "arguments": {"cause": cause}}))
        lines = [json.dumps({"jsonrpc": "2.0", "id": at, "method": method, "params": of}) for at, (method, of) in enumerate(messages)]
        command = [sys.executable, CONTEST, "serve", job, transcript, "--", PROGRAM, "mcp", log]
        played = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, timeout=60, check=True)
        self.answers = {answer["id"]: answer.get("result") for answer in map(json.loads, played.stdout.splitlines())}
        return transcript

    def scored(self, *transcripts, code=0):
        return execute(sys.executable, CONTEST, "score", *transcripts, code=code).stdout

    def test_the_tools_of_the_server_are_served_with_the_one_that_ends_the_game(self):
        self.play("a", "straggler", 1, sentences()["skew"])
        tools = {tool["name"]: tool for tool in self.answers[1]["tools"]}
        self.assertIn("diagnose", tools)
        self.assertIn(sentences()["skew"], tools["name_cause"]["inputSchema"]["properties"]["cause"]["enum"])
        self.assertIn("tasks", self.answers[2]["content"][0]["text"])

    def test_a_cause_counts_within_five_calls(self):
        right = self.play("right", "straggler", 5, sentences()["skew"])
        late = self.play("late", "straggler", 6, sentences()["skew"])
        wrong = self.play("wrong", "straggler", 1, sentences()["gc"])
        healthy = self.play("healthy", "words", 1, sentences()["skew"])
        scores = self.scored(right, late, wrong, healthy)
        self.assertEqual([line.split()[0] for line in scores.splitlines()[:4]], ["right", "WRONG", "WRONG", "WRONG"])
        self.assertIn("mcp: 1 of 4 causes named within 5 calls; median 3 calls", scores)

    def test_a_game_without_an_answer_is_none_that_was_won(self):
        self.assertIn("no answer", self.scored(self.play("a", "straggler", 2, None), code=1))

    def test_a_transcript_is_never_continued(self):
        transcript = self.play("a", "straggler", 0, sentences()["skew"])
        before = transcript.read_text()
        done = execute(sys.executable, CONTEST, "serve", "straggler", transcript, "--", PROGRAM, "mcp", code=1)
        self.assertIn("exists: use a new file for each game", done.stderr)
        self.assertEqual(transcript.read_text(), before)
