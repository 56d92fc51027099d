"""One tool server: its list, its calls, each with a timeout, and its faults in our own words.

Invariants: a fault contains none of the server's own words; a conversation that outlasts its time is cut off and
not waited for; a call is never sent again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from butler_kit.config import ToolServerConfig
from butler_kit.tls import distrust
from butler_specialist.outside.model import Listed, Said, ServerFault

__all__ = ["ToolServer"]

_T = TypeVar("_T")
_LEAVE_S: Final = 2.0
"""How long leaving a server that has answered may take."""
_LEAST_LIST_S: Final = 5.0
"""The least timeout of a list, which nobody waits for: the first one also imports the SDK."""
_NO_SUCH_METHOD: Final = -32601
"""JSON-RPC. After any other error that ends a conversation the call may have been made."""


class ToolServer:
    """A configured server; `token` is None if none is wanted, and empty if the wanted one is missing."""

    def __init__(self, config: ToolServerConfig, token: str | None) -> None:
        self.config = config
        self._token = token
        self._conversations: set[asyncio.Task[None]] = set()

    async def list(self) -> Sequence[Listed]:
        """Return all its tools. Raises `ServerFault`."""

        async def work(sdk: ModuleType, watched: Any, told: asyncio.Future[Sequence[Listed]]) -> None:
            await sdk.list_tools(self._peer(sdk), watched, told)

        return await self._within(work, max(self.config.timeout_s, _LEAST_LIST_S))

    async def call(self, tool: str, args: Mapping[str, Any]) -> Said:
        """Return its answer to one call. Raises `ServerFault`."""

        async def work(sdk: ModuleType, watched: Any, told: asyncio.Future[Said]) -> None:
            await sdk.call(self._peer(sdk), watched, told, tool=tool, args=args)

        return await self._within(work, self.config.timeout_s)

    def _peer(self, sdk: ModuleType) -> Any:
        return sdk.Peer(self.config.url, self._token, by_sse=self.config.by_sse)

    async def aclose(self) -> None:
        """Cut off the conversations still under way."""
        for task in self._conversations:
            task.cancel()
        if self._conversations:
            await asyncio.wait(self._conversations, timeout=_LEAVE_S)

    async def _within(
        self, work: Callable[[ModuleType, Any, asyncio.Future[_T]], Awaitable[None]], timeout_s: float
    ) -> _T:
        if self._token == "":
            raise ServerFault(f"the token of {self._named} is not there; see its tokenSecretRef")
        # In a thread: importing takes half a second the first time.
        sdk, watching = await asyncio.to_thread(_sdk)
        try:
            watched = watching.Watched(by_sse=self.config.by_sse)
        except OSError as error:
            raise ServerFault(f"{self._named} cannot be reached: caBundleRef cannot be used") from error
        told: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(_held(work(sdk, watched, told)), name=f"tool-server {self.config.name}")
        self._conversations.add(task)
        task.add_done_callback(self._conversations.discard)
        try:
            await asyncio.wait(
                {task, told, watched.refused},
                timeout=timeout_s,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            # Not awaited: the SDK shields its closing messages, which wait for a peer that may have stopped.
            _end(task, at_once=not told.done())
        if told.done():
            return told.result()
        raise self._fault(task, watched)

    def _fault(self, task: asyncio.Task[None], watched: Any) -> ServerFault:
        if watched.refused.done():
            return self._refusal(watched.refused.result(), sent=watched.sent)
        if not task.done():
            return ServerFault(f"{self._named} gave no answer in time", sent=watched.sent)
        cause = _first_cause(task.exception()) if not task.cancelled() else None
        if watched.sent:
            if _code_of(cause) == _NO_SUCH_METHOD:
                return ServerFault(f"{self._named} takes no calls of tools", sent=None)
            return ServerFault(f"{self._named} gave no answer to a call", sent=True)
        if (why := _unreached(cause)) is not None:
            return ServerFault(f"{self._named} cannot be reached: {why}; is it running?")
        if watched.status is not None:
            return ServerFault(
                f"{self._named} is no MCP server there (HTTP {watched.status}); check its url in spec.tools"
            )
        return ServerFault(f"{self._named} gave an answer that cannot be read; is it an MCP server?")

    def _refusal(self, status: int, *, sent: bool) -> ServerFault:
        if status in (401, 403):
            words = (
                f"{self._named} refuses the token (HTTP {status}); correct the secret of its tokenSecretRef"
            )
            return ServerFault(words, sent=None)
        if not sent:
            return ServerFault(
                f"{self._named} is no MCP server there (HTTP {status}); check url and transport in spec.tools"
            )
        return ServerFault(f"{self._named} fails (HTTP {status})", sent=True if status >= 500 else None)

    @property
    def _named(self) -> str:
        return f"the tool server {self.config.name} at {urlsplit(self.config.url).netloc}"


async def _held(conversation: Awaitable[None]) -> None:
    await conversation


def _sdk() -> tuple[ModuleType, ModuleType]:
    from butler_specialist.outside import conversation, watching

    return conversation, watching


def _end(task: asyncio.Task[None], *, at_once: bool) -> None:
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    if at_once:
        task.cancel()
    else:
        asyncio.get_running_loop().call_later(_LEAVE_S, task.cancel)


def _first_cause(error: BaseException | None) -> BaseException | None:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _code_of(cause: BaseException | None) -> int | None:
    return getattr(getattr(cause, "error", None), "code", None)


def _unreached(cause: BaseException | None) -> str | None:
    """Return why no connection was made; None if there was one."""
    if (why := distrust(cause)) is not None:
        return why
    known = {kind.__name__ for kind in type(cause).__mro__}
    return "no connection could be made" if known & {"ConnectError", "ConnectTimeout", "OSError"} else None
