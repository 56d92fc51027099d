"""A tool server with four lamps and two doors: what a household's own MCP server may look like (D58).

`python -m examples.home.lamps` serves it at http://127.0.0.1:8765/mcp. With LAMPS_TOKEN in its environment it accepts
only callers with that token. Lamps and doors are in memory; it prints their changes on the terminal.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

import click
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from pydantic import Field
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["ROOMS", "Lamps", "lamps_app", "lamps_server"]

ROOMS: Final = ("kitchen", "living room", "hall", "bedroom")
Room = Literal["kitchen", "living room", "hall", "bedroom"]
Door = Literal["front", "garden"]


@dataclass
class Lamps:
    """Which lamps are on, and every switch and unlock, in order."""

    on: dict[str, bool] = field(default_factory=lambda: dict.fromkeys(ROOMS, False))
    switched: list[tuple[str, bool]] = field(default_factory=list)
    unlocked: list[tuple[str, int]] = field(default_factory=list)

    def listed(self) -> str:
        return "; ".join(f"{room}: {'on' if lit else 'off'}" for room, lit in self.on.items())

    def switch(self, room: str, on: bool) -> str:
        self.on[room] = on
        self.switched.append((room, on))
        return f"the lamp in the {room} is {'on' if on else 'off'} now"

    def unlock(self, door: str, seconds: int) -> str:
        self.unlocked.append((door, seconds))
        return f"the {door} door is unlocked for {seconds} seconds"


def lamps_server(lamps: Lamps) -> MCPServer:
    """Build three tools: a read-only one, a non-destructive one that switches, and one that unlocks a door."""
    server = MCPServer("lamps", instructions="The lamps of a home.")

    @server.tool("list", annotations=ToolAnnotations(read_only_hint=True), structured_output=False)
    def list_lamps() -> str:
        """Which lamps there are, and which of them are on."""
        return lamps.listed()

    harmless = ToolAnnotations(read_only_hint=False, destructive_hint=False)

    @server.tool("switch", annotations=harmless, structured_output=False)
    def switch(
        room: Annotated[Room, Field(description="whose lamp")],
        on: Annotated[bool, Field(description="or off")],
    ) -> str:
        """Switch one lamp on or off."""
        return lamps.switch(room, on)

    @server.tool("unlock", structured_output=False)
    def unlock(
        door: Annotated[Door, Field(description="which one")],
        seconds: Annotated[int, Field(description="until it locks again", ge=5, le=60)] = 10,
    ) -> str:
        """Unlock a door for some seconds."""
        return lamps.unlock(door, seconds)

    return server


def lamps_app(
    lamps: Lamps, *, token: str | None = None, host: str = "127.0.0.1", by_sse: bool = False
) -> Starlette:
    """Return the server as a web application: at `/mcp`, or with the older transport at `/sse`; on 127.0.0.1 it accepts
    no other host name."""
    server = lamps_server(lamps)
    app = (
        server.sse_app(host=host)
        if by_sse
        else server.streamable_http_app(stateless_http=True, json_response=True, host=host)
    )
    if token is not None:
        app.add_middleware(_WithToken, token=token)
    return app


class _WithToken:
    """Rejects requests without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._wanted = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or hmac.compare_digest(_shown(scope["headers"]), self._wanted):
            await self._app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 401, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def _shown(headers: Sequence[tuple[bytes, bytes]]) -> bytes:
    return next((value for name, value in headers if name == b"authorization"), b"")


class _Told(Lamps):
    def switch(self, room: str, on: bool) -> str:
        said = super().switch(room, on)
        click.echo(said)
        return said

    def unlock(self, door: str, seconds: int) -> str:
        said = super().unlock(door, seconds)
        click.echo(said)
        return said


@click.command()
@click.option("--port", default=8765, show_default=True, help="Where it listens, on 127.0.0.1.")
def main(port: int) -> None:
    """Serve four lamps and a door as an MCP server until it is stopped."""
    app = lamps_app(_Told(), token=os.environ.get("LAMPS_TOKEN") or None)
    click.echo(f"lamps at http://127.0.0.1:{port}/mcp")
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main()
