# SPDX-License-Identifier: Apache-2.0
"""Talks to `sparkprof mcp ARGUMENT…` with the official Python SDK's client and prints what it got as JSON: everything that a
server offers, and one call of each tool. The SDK checks structured content against its schema. Its Python is that of
$SPARKPROF_CACHE/mcp; tests/e2e/test_mcp.py runs it."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client


async def talk(session):
    welcome = await session.initialize()
    tools = await session.list_tools()
    prompts = await session.list_prompts()
    why_slow = await session.get_prompt("why_slow", {})
    await session.send_ping()
    answers = {}
    for name, arguments in {
        "find_applications": {},
        "diagnose": {},
        "explain": {},
        "stacks": {},
        "tune": {"goal": "time"},
        "log_errors": {},
        "source": {},
        "compare": {"before": "none", "after": "none"},
    }.items():
        result = await session.call_tool(name, arguments)
        text = "".join(part.text for part in result.content)
        answers[name] = {"text": text, "structured": result.structuredContent, "isError": result.isError}
    try:
        await session.get_prompt("other", {})
        refused = False
    except McpError:
        refused = True
    return {
        "protocol": welcome.protocolVersion,
        "name": welcome.serverInfo.name,
        "instructions": welcome.instructions,
        "tools": [tool.name for tool in tools.tools],
        "readOnly": all(tool.annotations.readOnlyHint for tool in tools.tools),
        "toolCharacters": len(tools.model_dump_json(exclude_none=True)),
        "prompts": [prompt.name for prompt in prompts.prompts],
        "prompt": why_slow.messages[0].content.text,
        "unknownPromptIsRefused": refused,
        "answers": answers,
    }


async def main():
    server = StdioServerParameters(command=os.environ["SPARKPROF_BIN"], args=["mcp", *sys.argv[1:]], env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        print(json.dumps(await talk(session)))


asyncio.run(main())
