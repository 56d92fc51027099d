"""The limits of a connection before its caller is authenticated: time, memory, and a place among the others.

uvicorn's parser keeps whatever it is sent of a header, for as long as that takes. Here a header has a limit of size
and time, a body one of time, a peer that does not read its answer is cut off, and a newcomer gets a place if any
connection is without a complete request: that one makes room. Invariant: a complete request is never cut off for
another's sake; so probes are answered and streams stay open while others hold all places.
"""

from __future__ import annotations

import asyncio
import ipaddress
import resource
from collections import Counter
from dataclasses import dataclass, field
from enum import IntEnum
from http import HTTPStatus
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

__all__ = ["BoundedHttp", "ConnectionLimits", "Places", "default_limits"]

_LINGER_S: Final = 5.0
"""How long a peer may still read what was written to it before its connection ended."""
_MOST: Final = 2048
_PIPELINED_MOST: Final = 16
_PER_HEADER: Final = 4
"""Colon, space, line end."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """`most` connections per port, `most_of_one` per address; loopback, which all share, is exempt."""

    most: int = _MOST
    most_of_one: int = _MOST // 2
    header_bytes: int = 32 * 1024
    header_s: float = 15.0
    body_s: float = 30.0
    idle_s: int = 75
    untaken_s: float = 60.0
    """A peer that reads nothing of its answer for this long is cut off."""


def default_limits() -> ConnectionLimits:
    """Return limits that keep half of the process's file descriptors for other things than connections."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST if files == resource.RLIM_INFINITY else min(_MOST, files // 2)
    return ConnectionLimits(most=most, most_of_one=max(1, most // 2))


class _Standing(IntEnum):
    """The priority of a connection when places are short: the lowest go first."""

    UNASKED = 0
    IDLE = 1
    SENDING = 2
    ANSWERED = 3


@dataclass(slots=True)
class Places:
    """The connections of one port, the oldest first."""

    limits: ConnectionLimits = field(default_factory=default_limits)
    _taken: dict[BoundedHttp, str] = field(default_factory=dict)
    _of: Counter[str] = field(default_factory=Counter)

    def take(self, connection: BoundedHttp, peer: str) -> bool:
        """Take a place for a newcomer, another's if need be; return False when all are being answered."""
        if not _is_own(peer) and self._of[peer] >= self.limits.most_of_one and not self._free(peer):
            return False
        if len(self._taken) >= self.limits.most and not self._free(None):
            return False
        self._taken[connection] = peer
        self._of[peer] += 1
        return True

    def leave(self, connection: BoundedHttp) -> None:
        """Free the place; nothing happens for a connection that had none."""
        peer = self._taken.pop(connection, None)
        if peer is not None:
            self._of[peer] -= 1
            if not self._of[peer]:
                del self._of[peer]

    def _free(self, peer: str | None) -> bool:
        for standing in (_Standing.UNASKED, _Standing.IDLE, _Standing.SENDING):
            for connection, of in self._taken.items():
                if connection.standing is standing and peer in (None, of):
                    connection.cut()
                    return True
        return False


class BoundedHttp(HttpToolsProtocol):
    """uvicorn's protocol with the `Places` of its port and their limits."""

    def __init__(self, *args: Any, places: Places, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.standing = _Standing.UNASKED
        self._places = places
        self._limits = places.limits
        self._timer: asyncio.TimerHandle | None = None
        self._due: float | None = None
        self._untaken: asyncio.TimerHandle | None = None
        self._lingering: asyncio.TimerHandle | None = None
        self._over = False
        self._framing = 0
        """Bytes since the parser last handed something on: it keeps them all."""
        self._handed_on = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place, or answer that there is none."""
        super().connection_made(transport)
        if not self._places.take(self, self.client[0] if self.client else ""):
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE)
            return
        self._expect_within(self._limits.header_s)

    def connection_lost(self, exc: Exception | None) -> None:
        """Free the place and cancel the timers."""
        self._places.leave(self)
        for timer in (self._timer, self._untaken, self._lingering):
            if timer is not None:
                timer.cancel()
        self._timer = self._untaken = self._lingering = None
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Feed the parser in pieces no larger than a header may be, until the limit is exceeded."""
        if self.standing is _Standing.IDLE:
            self.standing = _Standing.UNASKED
            self._expect_within(self._limits.header_s)
        rest = memoryview(data)
        while rest and not self._over and not self.transport.is_closing():
            piece, rest = rest[: self._limits.header_bytes], rest[self._limits.header_bytes :]
            known = self._handed_on
            super().data_received(bytes(piece) if len(piece) < len(data) else data)
            self._framing = self._framing + len(piece) if known == self._handed_on else 0
            if self._framing > self._limits.header_bytes:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def on_headers_complete(self) -> None:
        """Handle a complete header: from now on the connection has a request."""
        self._handed_on += 1
        size = len(self.url) + sum(len(name) + len(value) + _PER_HEADER for name, value in self.headers)
        if size > self._limits.header_bytes or len(self.pipeline) >= _PIPELINED_MOST:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        if self._over:
            return
        self.standing = _Standing.SENDING
        self._expect_within(self._limits.body_s)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Pass on a part of a body, unless its request was refused."""
        self._handed_on += 1
        if not self._over:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Handle the end of a request; how long the answer takes is up to us."""
        self._handed_on += 1
        if self._over:
            return
        self._due = None
        if self.cycle.response_complete:
            # Answered before it was complete: data that came since has cancelled uvicorn's keep-alive timeout.
            self.standing = _Standing.IDLE
            self._unset_keepalive_if_required()
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )
            return
        self.standing = _Standing.ANSWERED
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Handle the end of an answer: wait for the next request, or for the rest of this one."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._linger()
        elif self.standing is _Standing.ANSWERED and self.cycle.response_complete:
            self.standing = _Standing.IDLE

    def pause_writing(self) -> None:
        """The peer reads nothing: start a timeout."""
        super().pause_writing()
        self._untaken = self.loop.call_later(self._limits.untaken_s, self.cut)

    def resume_writing(self) -> None:
        """The peer reads again: cancel the timeout."""
        if self._untaken is not None:
            self._untaken.cancel()
            self._untaken = None
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that was idle too long."""
        self._close()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, with an answer only if none is under way, which it would garble."""
        self._refuse(HTTPStatus.BAD_REQUEST)

    def shutdown(self) -> None:
        """The process ends: close a connection that waits for nothing."""
        super().shutdown()
        if self.transport.is_closing():
            self._linger()

    def cut(self) -> None:
        """End the connection at once and free its place."""
        self._over = True
        self._places.leave(self)
        self.transport.abort()

    def _expect_within(self, seconds: float) -> None:
        due = self._due = self.loop.time() + seconds
        if self._timer is not None and self._timer.when() > due:
            self._timer.cancel()
            self._timer = None
        if self._timer is None:
            self._timer = self.loop.call_later(seconds, self._look)

    def _look(self) -> None:
        """Check whether something is due: one timer per connection, not one per request."""
        self._timer = None
        if self._due is None or self.transport.is_closing():
            return
        left = self._due - self.loop.time()
        if left > 0:
            self._timer = self.loop.call_later(left, self._look)
        elif self.standing is _Standing.SENDING:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        else:
            self._close()

    def _refuse(self, status: HTTPStatus) -> None:
        """Answer with `status`, if nothing was answered yet, and close the connection."""
        if self._over:
            return
        self._over = True
        if not self.transport.is_closing() and self._may_say():
            said = status.phrase.encode("ascii")
            self.transport.write(
                b"HTTP/1.1 %d %s\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\n"
                b"connection: close\r\n\r\n%s" % (status, said, len(said), said)
            )
        self._close()

    def _may_say(self) -> bool:
        """Return whether a refusal would be read as the answer to the last request, and as nothing else."""
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None:
            return True
        if self.standing is _Standing.SENDING:
            return not cycle.response_started and not self.pipeline
        return cycle.response_complete

    def _close(self) -> None:
        self._over = True
        self.transport.close()
        self._linger()

    def _linger(self) -> None:
        """Let written data go out for a limited time; the place is kept until then."""
        if self._lingering is None:
            self._lingering = self.loop.call_later(_LINGER_S, self.cut)


def _is_own(peer: str) -> bool:
    """Return whether this is an address of the machine itself, which all of its processes share."""
    try:
        return ipaddress.ip_address(peer).is_loopback
    except ValueError:
        return True
