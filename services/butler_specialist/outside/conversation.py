"""Speaks MCP with a tool server, over streamable HTTP, by the SDK: the one module that knows it.

Invariants: one conversation is one list or one call, and a call is sent once; what a server asks of its client (to
sample a model, to ask a person) is not offered.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import mcp_types as types
from mcp import Client
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from pydantic import TypeAdapter

from butler_kit.mcp.privacy import keep_bodies_out_of_the_log
from butler_specialist.outside.model import Listed, Said
from butler_specialist.outside.watching import Watched, client_of

__all__ = ["call", "list_tools"]

_RESULT: Final = TypeAdapter(types.CallToolResult)
_PAGES: Final = 10
_TOOLS: Final = 500


@asynccontextmanager
async def _session(url: str, token: str | None, watched: Watched) -> AsyncIterator[ClientSession]:
    keep_bodies_out_of_the_log()
    async with (
        client_of(watched, token) as http,
        Client(streamable_http_client(url, http_client=http), mode="auto", cache=None) as client,
    ):
        yield client.session


async def list_tools(
    url: str, token: str | None, watched: Watched, told: asyncio.Future[Sequence[Listed]]
) -> None:
    """Tell what the server lists, then take leave of it. Raises whatever the SDK does, in groups."""
    found: list[Listed] = []
    cursor: str | None = None
    async with _session(url, token, watched) as session:
        for _ in range(_PAGES):
            page = await session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            found += [_listed(tool) for tool in page.tools]
            cursor = page.next_cursor
            if not cursor or len(found) >= _TOOLS:
                break
        told.set_result(found[:_TOOLS])


async def call(
    url: str,
    token: str | None,
    watched: Watched,
    told: asyncio.Future[Said],
    *,
    tool: str,
    args: Mapping[str, Any],
) -> None:
    """Tell what the server answers, then take leave of it. Raises whatever the SDK does, in groups."""
    params = types.CallToolRequestParams(name=tool, arguments=dict(args))
    async with _session(url, token, watched) as session:
        watched.calling = True
        # Not session.call_tool(): it may list all tools first, and send a call again.
        result = await session.send_request(types.CallToolRequest(params=params), _RESULT)
        told.set_result(_said(result))


def _listed(tool: types.Tool) -> Listed:
    hints = tool.annotations
    return Listed(
        tool.name, tool.description or "", tool.input_schema, bool(hints is not None and hints.read_only_hint)
    )


def _said(result: types.CallToolResult) -> Said:
    texts = [block.text for block in result.content if isinstance(block, types.TextContent)]
    left_out = tuple(_named(block) for block in result.content if not isinstance(block, types.TextContent))
    if not texts and result.structured_content is not None:
        texts = [TypeAdapter(Any).dump_json(result.structured_content).decode("utf-8", "replace")]
    return Said("\n".join(texts), left_out, refused=bool(result.is_error))


def _named(block: object) -> str:
    if isinstance(block, types.ImageContent):
        return "an image"
    if isinstance(block, types.AudioContent):
        return "a recording"
    return "a file"
