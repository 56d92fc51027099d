"""How much butlers know of people, and having it forgotten, by an operator's order (D68, ADR 0116).

Invariants: an operator reads no word of what is known; a person is forgotten by all that remember, or the order fails
and names those that were not reached. As with any order that is passed on, the calls come before our own transaction:
they may be repeated, and what somebody told after the order was done is not taken away by the same key.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Protocol
from uuid import UUID

from butler_contracts.errors import ButlerError, Conflict, TargetUnavailable
from butler_contracts.memory import FORGET_TOOL, PEOPLE_TOOL, Forgotten, KnownPeople
from butler_contracts.parse import parse
from butler_contracts.stored import stored
from butler_kit.operations import Acting, Effect, Operations, Order
from butler_kit.telemetry import get_logger
from butler_switchboard.operations.memory_models import (
    ForgottenBy,
    ForgottenView,
    KnownView,
    known_view,
    said_of_forgetting,
)
from butler_switchboard.routing.registry_view import RegistryView

__all__ = ["MemoriesDesk"]

_log = get_logger(__name__)

_TIMEOUT_S: Final = 8.0


class _Members(Protocol):
    """The registry."""

    def view(self) -> RegistryView: ...

    def capable(self, name: str, tool: str) -> bool: ...


class _Asking(Protocol):
    async def call(
        self, name: str, tool: str, arguments: dict[str, Any], *, claims: dict[str, Any], timeout_s: float
    ) -> dict[str, Any]: ...


class MemoriesDesk:
    """Asks each butler that remembers, held or not; `found` forgets what Switchboard found in a person's messages."""

    def __init__(
        self,
        operations: Operations,
        asking: _Asking,
        members: _Members,
        *,
        names: Callable[[], Awaitable[Mapping[UUID, str]]],
        found: Callable[[UUID], Awaitable[int]],
    ) -> None:
        self._operations = operations
        self._asking = asking
        self._members = members
        self._names = names
        self._found = found

    async def listed(self, person: UUID | None) -> KnownView:
        """Return how much is known of `person`, or of everybody."""
        answers = await self._each(PEOPLE_TOOL, {})
        told = {
            butler: parse(KnownPeople, answer).people if answer is not None else None
            for butler, answer in answers.items()
        }
        return known_view(told, await self._names(), person)

    async def forget(self, person: UUID, order: Order) -> ForgottenView:
        """Have everything known of `person` erased, once.

        Raises `TargetUnavailable` naming the butlers that may still know something, `Conflict` if none remembers,
        `KeyReused`.
        """
        before = await self._operations.done_before(order.uid)
        forgotten = await self._forgotten(person, order.uid) if before is None else []

        async def act(_: Acting) -> Effect:
            name = (await self._names()).get(person)
            by = [one.model_dump() for one in forgotten]
            answer = {"person": str(person), "name": name, "forgotten": by}
            return Effect(answer, said_of_forgetting(forgotten))

        done = await self._operations.run(order, act)
        return stored(ForgottenView, done.document())

    async def _forgotten(self, person: UUID, uid: str) -> list[ForgottenBy]:
        asked = {"person": str(person), "idempotency_key": uid, "everything": True}
        answers = await self._each(FORGET_TOOL, asked)
        if not answers:
            raise Conflict("No butler remembers here (spec.modules.memory), so nothing was done.")
        missing = [butler for butler, answer in answers.items() if answer is None]
        if missing:
            raise TargetUnavailable(
                f"{', '.join(missing)}: could not be asked, and may still know something; give the order again."
            )
        found = await self._found(person)
        _log.info("person_forgotten", butlers=list(answers), findings=found)
        return [
            ForgottenBy(butler=butler, things=parse(Forgotten, answer).forgotten)
            for butler, answer in answers.items()
            if answer is not None
        ]

    async def _each(self, tool: str, arguments: dict[str, Any]) -> dict[str, dict[str, Any] | None]:
        """Return the answer of each butler that remembers; None of one that gave none."""
        names = [name for name in self._members.view().names if self._members.capable(name, FORGET_TOOL)]
        answers = await asyncio.gather(*(self._asked(name, tool, arguments) for name in names))
        return dict(zip(names, answers, strict=True))

    async def _asked(self, name: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        if not self._members.capable(name, tool):
            return None
        try:
            return await self._asking.call(name, tool, arguments, claims={}, timeout_s=_TIMEOUT_S)
        except ButlerError as failure:
            _log.warning("memory_not_asked", butler=name, tool=tool, problem=failure.message)
            return None
