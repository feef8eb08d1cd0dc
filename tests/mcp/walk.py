# SPDX-License-Identifier: Apache-2.0
"""Walks the tools of `sparkprof mcp` as an agent would, with the official Python SDK's client, and measures it:

    walk.py FOLDER [--kind profile|events|log] [JOB...]

The folder is one that bench/truth_of_findings.py kept: FOLDER/JOB/profile/recording.sprof, FOLDER/JOB/events and
FOLDER/JOB/driver.log of jobs with a planted cause (tests/truth/expected.tsv, examples/) and of healthy ones. Each walk is
find_applications, diagnose, and what the first finding suggests: explain its stage or task, and stacks. Prints for each job the
rule that diagnose names first, calls, tokens (4 characters each, descriptions of the tools included) and the longest answer; then
hits over all. Exits 1 if an answer is longer than 1,500 tokens. Run it with the Python of $SPARKPROF_CACHE/mcp."""

import argparse
import asyncio
import os
import pathlib
import re
import statistics
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from planted import INPUTS, REPOSITORY, planted

SPARKPROF = os.environ.get("SPARKPROF_BIN", str(REPOSITORY / "bin" / "sparkprof"))
CHARACTERS = 4  # per token
MOST_TOKENS_OF_ANSWER = 1500


class Walk:
    """One session, and what it cost its reader."""

    def __init__(self, session):
        self.session = session
        self.calls, self.characters, self.longest = 0, 0, 0

    async def call(self, tool, **arguments):
        result = await self.session.call_tool(tool, arguments)
        text = "".join(part.text for part in result.content)
        self.calls += 1
        self.characters += len(text)
        self.longest = max(self.longest, len(text))
        return text, result.structuredContent or {}

    async def run(self):
        await self.session.initialize()
        tools = await self.session.list_tools()
        self.characters += sum(len(tool.model_dump_json(exclude_none=True)) for tool in tools.tools)
        await self.call("find_applications")
        text, diagnosis = await self.call("diagnose")
        see = re.search(r"^ +See:((?: \w+=\S+)+)$", text, re.MULTILINE)
        selection = dict(part.split("=") for part in see[1].split()) if see else {}
        if "task" in selection:
            selection["task"] = int(selection["task"])
        if "sql" in selection:
            selection["sql"] = int(selection["sql"])
        await self.call("explain", **{key: value for key, value in selection.items() if key in ("stage", "task", "executor", "sql")})
        await self.call("stacks", **selection)
        return diagnosis.get("findings", [])


async def walk(path):
    server = StdioServerParameters(command=SPARKPROF, args=["mcp", str(path)])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        one = Walk(session)
        return one, await one.run()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--kind", choices=INPUTS, default="profile")
    options.add_argument("jobs", nargs="*")
    options = options.parse_args()
    rules = planted()
    hits, walks = 0, []
    for folder in sorted(options.folder.iterdir()):
        if (options.jobs and folder.name not in options.jobs) or not (folder / INPUTS[options.kind]).exists():
            continue
        one, findings = asyncio.run(walk(folder / INPUTS[options.kind]))
        walks.append(one)
        wanted = rules.get(folder.name, set())
        first = findings[0]["rule"] if findings else "nothing"
        # A healthy job has no finding that saves a known time worth an agent's attention.
        good = first in wanted if wanted else first == "nothing" or not findings[0]["savingMs"] or findings[0]["savingMs"]["high"] < 2000
        hits += good
        print(
            f"{'right' if good else 'WRONG'}  {folder.name:20}{first:20}{one.calls} calls, {one.characters // CHARACTERS} tokens, "
            f"longest answer {one.longest // CHARACTERS}",
            flush=True,
        )
    if not walks:
        sys.exit(f"{options.folder}: no {INPUTS[options.kind]} of any job")
    print(
        f"{hits} of {len(walks)} right; calls {max(one.calls for one in walks)}, tokens median "
        f"{statistics.median(one.characters for one in walks) / CHARACTERS:.0f}, most {max(one.characters for one in walks) // CHARACTERS}"
    )
    return 0 if max(one.longest for one in walks) <= MOST_TOKENS_OF_ANSWER * CHARACTERS else 1


if __name__ == "__main__":
    sys.exit(main())
