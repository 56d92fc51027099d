"""Gives a butler what others remember of the writer of its message, as far as a manifest shares it (D69, ADR 0116).

Invariants: the person is the stored sender of the message, never one that a butler or a model names; who shares with
whom is judged by the butler that remembers; nothing is given for a message whose answer others read, or that is no
member's own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final, Protocol
from uuid import UUID

from butler_contracts.context import RequestContext
from butler_contracts.errors import ButlerError, NotFound, ValidationFailed
from butler_contracts.groups import is_of_several
from butler_contracts.memory import SHARE_TOOL, RecallAsked, Recalled, Shared, SharedAsked, SharedMemory
from butler_contracts.parse import parse
from butler_kit.telemetry import get_logger
from butler_switchboard.dispatch.model import PersonOf, RequestState
from butler_switchboard.dispatch.store import KnownSubroute
from butler_switchboard.routing.registry_view import RegistryView

__all__ = ["MemorySharing"]

_log = get_logger(__name__)

_TIMEOUT_S: Final = 2.0
"""A session waits for it; who is slower shares nothing this time."""


class _Members(Protocol):
    """The registry."""

    def view(self) -> RegistryView: ...

    def capable(self, name: str, tool: str) -> bool: ...


class _Asking(Protocol):
    async def call(
        self, name: str, tool: str, arguments: dict[str, Any], *, claims: dict[str, Any], timeout_s: float
    ) -> dict[str, Any]: ...


class _Requests(Protocol):
    """The stored requests."""

    async def find(self, subrequest: UUID) -> KnownSubroute | None: ...

    async def load(self, request_id: UUID) -> RequestState | None: ...


class MemorySharing:
    """Asks the butlers that share what they remember, on behalf of the one that works on the message."""

    def __init__(self, asking: _Asking, members: _Members, requests: _Requests, person_of: PersonOf) -> None:
        self._asking = asking
        self._members = members
        self._requests = requests
        self._person_of = person_of

    async def recall(self, butler: str, asked: SharedAsked) -> Shared:
        """Return what is shared with `butler`. Raises `NotFound` if it does not work on that part of a message."""
        names = [one for one in self._members.view().names if self._shares(one, butler)]
        if not names:
            return Shared()
        context = await self._context(butler, asked.subrequest_id)
        person = await self._person_of(context) if _may_be_told(context) else None
        if person is None:
            return Shared()
        wish = RecallAsked(person=person, query=asked.query, most=asked.most).to_wire()
        answers = await asyncio.gather(*(self._asked(name, wish, butler) for name in names))
        told = {name: one for name, one in zip(names, answers, strict=True) if one is not None}
        return Shared(by=tuple(told), memories=_newest(told, asked.most))

    def _shares(self, name: str, butler: str) -> bool:
        return name != butler and self._members.capable(name, SHARE_TOOL)

    async def _context(self, butler: str, subrequest_id: UUID) -> RequestContext:
        known = await self._requests.find(subrequest_id)
        if known is not None and known.target == butler and not known.state.terminal:
            state = await self._requests.load(known.request_id)
            if state is not None:
                return state.message.context
        raise NotFound(f"{butler} does not work on a part {subrequest_id}")

    async def _asked(self, name: str, wish: dict[str, Any], butler: str) -> Recalled | None:
        """Return a butler's answer; None if it shares nothing with the other, or cannot be asked."""
        try:
            answer = await self._asking.call(
                name, SHARE_TOOL, wish, claims={"origin": butler}, timeout_s=_TIMEOUT_S
            )
            return parse(Recalled, answer)
        except ValidationFailed:
            return None
        except ButlerError as failure:
            _log.warning("memory_not_shared", butler=name, problem=failure.message)
            return None


def _may_be_told(context: RequestContext) -> bool:
    own = context.sender_class == "household" and not context.automatic
    return own and context.reply_policy == "allow" and not is_of_several(context)


def _newest(told: Mapping[str, Recalled], most: int) -> tuple[SharedMemory, ...]:
    found = [
        SharedMemory.model_validate({**one.model_dump(), "butler": butler})
        for butler, recalled in told.items()
        for one in recalled.memories
    ]
    return tuple(sorted(found, key=lambda one: one.said_at, reverse=True)[:most])
