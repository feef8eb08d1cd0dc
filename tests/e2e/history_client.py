# SPDX-License-Identifier: Apache-2.0
"""Calls tools of kubeflow's MCP server for Spark's History Server, which asks the server at a URL for each answer.

    PEER/bin/python history_client.py URL < CALLS    # CALLS: [[TOOL, {ARGUMENT: VALUE}], …]; prints [[ok, result, text], …]

Runs with the Python of the environment that scripts/setup peers makes."""

import asyncio
import json
import pathlib
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def call(url, calls):
    command = str(pathlib.Path(sys.executable).with_name("spark-mcp"))
    environment = {"SHS_SERVERS__LOCAL__URL": url, "SHS_SERVERS__LOCAL__DEFAULT": "true", "SHS_MCP__TRANSPORT": "stdio"}
    async with stdio_client(StdioServerParameters(command=command, env=environment)) as streams, ClientSession(*streams) as session:
        await session.initialize()
        answers = []
        for tool, arguments in calls:
            answer = await session.call_tool(tool, arguments)
            text = "\n".join(getattr(part, "text", "") for part in answer.content)
            answers.append([not answer.isError, (answer.structuredContent or {}).get("result"), text])
        return answers


if __name__ == "__main__":
    print(json.dumps(asyncio.run(call(sys.argv[1], json.load(sys.stdin)))))
