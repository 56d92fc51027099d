"""`/events`: server-sent events that tell pages which parts of the household changed.

One task polls the database on behalf of all listeners, and only while there are any. Invariants: the number of
listeners is bounded, and so is each one's set of pending topics; a caller who has lost access is told nothing more;
every stream ends when the process drains.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from butler_contracts.errors import ButlerError
from butler_dashboard.reads.changes import Marks, marks
from butler_dashboard.reads.reader import Reader
from butler_kit.telemetry import get_logger

__all__ = ["EventLimits", "Events"]

_log = get_logger(__name__)
_RETRY_MS: Final = 3_000
_AWAY: Final = "away"
_BACK: Final = "back"


@dataclass(frozen=True, slots=True)
class EventLimits:
    """Maximum number of listeners, seconds between looks for changes, seconds of silence before a beat."""

    listeners: int = 64
    every_s: float = 2.0
    beat_s: float = 15.0


@dataclass(eq=False, slots=True)
class _Listener:
    """What one stream has yet to send; repeated changes of a topic are one change."""

    topics: set[str] = field(default_factory=set)
    standing: str | None = None
    news: asyncio.Event = field(default_factory=asyncio.Event)


class Events:
    """The listeners, and the task that looks for changes on their behalf."""

    def __init__(
        self,
        reader: Reader,
        may_listen: Callable[[Request], Awaitable[bool]],
        *,
        limits: EventLimits | None = None,
        look: Callable[[Reader], Awaitable[Marks]] = marks,
    ) -> None:
        self._reader = reader
        self._may_listen = may_listen
        self._limits = limits or EventLimits()
        self._look = look
        self._listeners: set[_Listener] = set()
        self._listened = asyncio.Event()
        self._ended = asyncio.Event()

    @property
    def listeners(self) -> int:
        return len(self._listeners)

    def end(self) -> None:
        """End every stream; the process drains."""
        self._ended.set()
        for listener in self._listeners:
            listener.news.set()

    async def run(self, stopping: asyncio.Event) -> None:
        """Look for changes while somebody listens, until asked to stop."""
        known: Marks | None = None
        well = True
        while not stopping.is_set():
            if not self._listeners:
                known = None
                self._listened.clear()
            if not await _set_within(self._listened, self._limits.every_s):
                continue
            try:
                found = await self._look(self._reader)
            except ButlerError as error:
                if well:
                    _log.warning("changes_not_seen", problem=error.message)
                    self._tell(set(), standing=_AWAY)
                well = False
            else:
                changed = set(Marks.model_fields) if not well else _changed(known, found)
                self._tell(changed, standing=None if well else _BACK)
                known, well = found, True
            await _set_within(stopping, self._limits.every_s)

    async def answer(self, request: Request) -> Response:
        """A stream, or 503 when as many listen as may."""
        if self._ended.is_set() or len(self._listeners) >= self._limits.listeners:
            return Response(status_code=503, headers={"retry-after": "30"})
        return StreamingResponse(
            self._stream(request),
            media_type="text/event-stream",
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        )

    async def _stream(self, request: Request) -> AsyncIterator[str]:
        # Registered here and not earlier: a listener whose stream never begins would never be removed.
        listener = _Listener()
        self._listeners.add(listener)
        self._listened.set()
        try:
            yield f"retry: {_RETRY_MS}\nevent: hello\ndata: {{}}\n\n"
            while not self._ended.is_set():
                news = await _set_within(listener.news, self._limits.beat_s)
                # After a sign-out or the token's expiry, the stream ends when it would next send something.
                if not await self._may_listen(request):
                    break
                if not news:
                    yield "event: beat\ndata: {}\n\n"
                    continue
                listener.news.clear()
                for line in _news(listener):
                    yield line
        finally:
            self._listeners.discard(listener)

    def _tell(self, topics: set[str], *, standing: str | None) -> None:
        if not topics and standing is None:
            return
        for listener in self._listeners:
            listener.topics |= topics
            listener.standing = standing or listener.standing
            listener.news.set()


def _news(listener: _Listener) -> list[str]:
    """Return the listener's pending events and clear them."""
    told = []
    if listener.standing is not None:
        told.append(f"event: {listener.standing}\ndata: {{}}\n\n")
    if listener.topics:
        told.append(f"event: change\ndata: {json.dumps({'topics': sorted(listener.topics)})}\n\n")
    listener.standing = None
    listener.topics = set()
    return told


def _changed(known: Marks | None, found: Marks) -> set[str]:
    if known is None:
        return set()
    return {name for name in Marks.model_fields if getattr(known, name) != getattr(found, name)}


async def _set_within(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
