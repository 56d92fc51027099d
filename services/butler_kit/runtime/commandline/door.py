"""The door through which a command line reaches the tools of its one session: an MCP server on loopback.

Invariants: a request without the token of a running session reaches nothing; each token opens one session's tools and
expires with it; a call is on that session's ledger before it is answered. The SDK is loaded with the first session.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from butler_contracts.errors import ButlerError, OverloadRejected
from butler_kit.runtime.family import RuntimeUnavailable
from butler_kit.runtime.toolbelt import ToolBelt
from butler_kit.service.server import PortUnavailable

__all__ = ["Doors", "Session"]

_TOO_SOON: Final = "a call before it was refused; first mend that, or say that it was not done"
_ENDED: Final = "the session has said its last word"
Told = Callable[[str, str], None]
"""Takes the name of a tool, and what the model reads of its call."""


def _uncounted() -> None:
    """Count nothing: nobody set a budget."""


def _unrecorded(_tool: str, _text: str) -> None:
    """Keep nothing: nobody wants to read it later."""


class Session:
    """The session that one token opens. `over` is set when it has ended, or has made too many calls.

    `counted` is called for each call, and raises `BudgetExhausted` past the owner's budget; `told` with each answer to
    a call.
    """

    def __init__(
        self, belt: ToolBelt, counted: Callable[[], None] = _uncounted, told: Told = _unrecorded
    ) -> None:
        self.belt = belt
        self.over = asyncio.Event()
        self.too_many: OverloadRejected | None = None
        self._counted = counted
        self._told = told
        self.amiss = False
        """Whether the last call was refused."""
        self.seen = False
        """Whether anybody has connected."""
        self._turn = asyncio.Lock()

    async def call(self, tool: str, args: Mapping[str, Any]) -> tuple[str, bool]:
        """Return the text for the model, and whether the call was accepted; calls run one after the other.

        Some programs carry out the calls of one answer in another order than the model's: calls beside its last word
        are accepted until the program ends. A session whose call is only marked as the last ends by itself: the
        program asks once more, and learns what was refused.
        """
        async with self._turn:
            text, taken = await self._taken(tool, args)
            self._told(tool, text)
            return text, taken

    async def _taken(self, tool: str, args: Mapping[str, Any]) -> tuple[str, bool]:
        early = self._too_early_or_late(tool)
        if early is not None:
            return f"refused: {early}", False
        try:
            self._counted()
            done = await self.belt.call(tool, self.belt.not_last(tool, args) if self.amiss else args)
        except OverloadRejected as refused:
            self.too_many = refused
            self.over.set()
            return f"refused: {refused.message}", False
        except ButlerError as refused:
            self.amiss = True
            return f"refused: {refused.message}", False
        self.amiss = False
        if self.belt.ends(tool):
            self.over.set()
        return str(done["status"]), True

    def _too_early_or_late(self, tool: str) -> str | None:
        if not self.belt.ends(tool):
            return None
        if self.over.is_set():
            return _ENDED
        if self.amiss:
            # The model may have said it before it knew of the refusal; said again, it counts.
            self.amiss = False
            return _TOO_SOON
        return None


class Doors:
    """Opens a door for each session; the server behind them starts with the first and ends with `aclose`."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}
        self._starting = asyncio.Lock()
        self._server: Any = None

    @asynccontextmanager
    async def opened(
        self, belt: ToolBelt, counted: Callable[[], None] = _uncounted, told: Told = _unrecorded
    ) -> AsyncIterator[tuple[Session, str, str]]:
        """Yield the session of `belt`, its tools' address and the token for them, valid within the block."""
        url = await self._url()
        session, token = Session(belt, counted, told), secrets.token_urlsafe(32)
        self._sessions[token] = session
        try:
            yield session, url, token
        finally:
            del self._sessions[token]

    async def aclose(self) -> None:
        """End the server; requests still being served are cut."""
        if self._server is not None:
            await self._server.close()
            self._server = None

    async def _url(self) -> str:
        async with self._starting:
            if self._server is None or not self._server.serves:
                await self._start()
            return str(self._server.url)

    async def _start(self) -> None:
        # In a thread: no other session waits for half a second of importing.
        kind = await asyncio.to_thread(_server_type)
        try:
            server = kind(self._sessions.get)
            await server.start()
        except (OSError, PortUnavailable) as error:
            raise RuntimeUnavailable(f"no door for a session can be opened here: {error}") from error
        self._server = server


def _server_type() -> Any:
    from butler_kit.runtime.commandline.server import DoorServer

    return DoorServer
