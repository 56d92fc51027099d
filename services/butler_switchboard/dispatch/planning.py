"""What a plan is made from, besides the message (ports of `RoutePlanner`)."""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from butler_contracts.context import RequestContext
from butler_kit.runtime.history import History
from butler_switchboard.backfill.scope import Scope
from butler_switchboard.dispatch.limited import Limited
from butler_switchboard.dispatch.model import Plan, RequestState
from butler_switchboard.ingress.message import InboxMessage
from butler_switchboard.learning.deciding import Teachings
from butler_switchboard.routing.message import MeantWord, RoutingMessage
from butler_switchboard.routing.registry_view import RegistryView

__all__ = [
    "BackfillJobs",
    "Corrected",
    "CurrentRegistry",
    "FormerVersions",
    "LimitedPeople",
    "Pressing",
    "RepliedTo",
    "SpokenBefore",
    "Taught",
    "ThreadBefore",
]


class CurrentRegistry(Protocol):
    def view(self) -> RegistryView: ...


class FormerVersions(Protocol):
    """The versions of a message before it was edited, the newest first."""

    async def of(self, message: InboxMessage) -> tuple[RequestState, ...]: ...


class SpokenBefore(Protocol):
    """Who answered in the conversation of a message, recently and over a longer time."""

    async def around(self, message: RoutingMessage, state: RequestState) -> RoutingMessage: ...


class ThreadBefore(Protocol):
    """What was said in the thread of a message, for a model."""

    async def before(self, state: RequestState) -> History: ...


class RepliedTo(Protocol):
    """What a message replies to, and what was offered in its chat just now."""

    async def meant(self, state: RequestState) -> MeantWord | None: ...

    async def offered_last(self, state: RequestState) -> MeantWord | None: ...


class Pressing(Protocol):
    """Plans where a press goes."""

    async def plan(self, state: RequestState, registry: RegistryView) -> Plan: ...


class Corrected(Protocol):
    """Plans a member's correction of where their message went."""

    async def plan(self, state: RequestState, registry: RegistryView) -> Plan | None: ...


class LimitedPeople(Protocol):
    """The household members who may not ask every butler at any time."""

    async def of(self, context: RequestContext) -> Limited | None: ...


class BackfillJobs(Protocol):
    """The scope of each backfill job."""

    async def of(self, job_id: UUID) -> Scope | None: ...


class Taught(Protocol):
    """What the household's corrections teach for a message (ADR 0111)."""

    async def of(self, state: RequestState) -> Teachings: ...
