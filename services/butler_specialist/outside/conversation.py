"""Speaks MCP with a tool server, over streamable HTTP or SSE; the only module that uses the SDK.

Invariants: one conversation is one list or one call, and a call is sent once; what a server may ask of its client
(to sample a model, to ask a person) is not offered.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import httpx2
import mcp_types as types
from mcp import Client, MCPError
from mcp.client.session import ClientSession
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import McpHttpClientFactory
from pydantic import TypeAdapter

from butler_kit.mcp.privacy import keep_bodies_out_of_the_log
from butler_specialist.outside.model import Listed, Said
from butler_specialist.outside.watching import Watched, client_of

__all__ = ["Peer", "call", "list_tools"]

_RESULT: Final = TypeAdapter(types.CallToolResult)
_PAGES: Final = 10
_TOOLS: Final = 500


@dataclass(frozen=True, slots=True)
class Peer:
    """A server's address, the token it is shown, and the transport."""

    url: str
    token: str | None
    by_sse: bool = False


@asynccontextmanager
async def _session(peer: Peer, watched: Watched) -> AsyncIterator[ClientSession]:
    keep_bodies_out_of_the_log()
    async with AsyncExitStack() as stack:
        if peer.by_sse:
            # Older than negotiation by `server/discover`: only the handshake.
            streams = sse_client(peer.url, httpx_client_factory=_made(watched, peer.token))
            client = Client(streams, mode="legacy", cache=None)
        else:
            http = await stack.enter_async_context(client_of(watched, peer.token))
            client = Client(streamable_http_client(peer.url, http_client=http), mode="auto", cache=None)
        yield (await stack.enter_async_context(client)).session


def _made(watched: Watched, token: str | None) -> McpHttpClientFactory:
    """Return a factory that always gives our own client."""

    def made(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        return client_of(watched, token)

    return made


async def list_tools(peer: Peer, watched: Watched, told: asyncio.Future[Sequence[Listed]]) -> None:
    """Set the result to the server's list, then leave the conversation.

    Raises whatever the SDK raises, in groups.
    """
    found: list[Listed] = []
    cursor: str | None = None
    async with _session(peer, watched) as session:
        for _ in range(_PAGES):
            page = await session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            found += [_listed(tool) for tool in page.tools]
            cursor = page.next_cursor
            if not cursor or len(found) >= _TOOLS:
                break
        told.set_result(found[:_TOOLS])


async def call(
    peer: Peer,
    watched: Watched,
    told: asyncio.Future[Said],
    *,
    tool: str,
    args: Mapping[str, Any],
) -> None:
    """Set the result to the server's answer, then leave the conversation.

    That it does not take these arguments is an answer too. Raises whatever the SDK raises, in groups.
    """
    params = types.CallToolRequestParams(name=tool, arguments=dict(args))
    async with _session(peer, watched) as session:
        watched.calling = True
        # Not session.call_tool(): it may list all tools first, and send a call again.
        try:
            said = _said(await session.send_request(types.CallToolRequest(params=params), _RESULT))
        except MCPError as error:
            if error.code != types.INVALID_PARAMS:
                raise
            said = Said(error.message, refused=True)
        told.set_result(said)


def _listed(tool: types.Tool) -> Listed:
    hints = tool.annotations
    return Listed(
        tool.name,
        tool.description or "",
        tool.input_schema,
        bool(hints is not None and hints.read_only_hint),
        destructive=hints is None or hints.destructive_hint is not False,
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
