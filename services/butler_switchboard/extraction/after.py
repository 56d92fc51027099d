"""After a message ends: queues it to be read, or deletes what was found and is to be kept no longer (ADR 0085).

Invariant: nobody waiting for an answer waits for this; it is retried with the message's row until done.
"""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from butler_contracts.errors import ButlerError
from butler_kit.telemetry import get_logger
from butler_switchboard.dispatch.model import PersonOf, RequestState
from butler_switchboard.extraction.store import LANE, MOST_WAITING, ExtractionStore
from butler_switchboard.extraction.wanted import forgets, is_worth_reading, makes_private
from butler_switchboard.ingress.message import InboxMessage

__all__ = ["AfterTheEnd"]

_log = get_logger(__name__)


class Offers(Protocol):
    """Reads queued messages."""

    def offer(self, item_id: UUID, lane: str, source: str) -> bool: ...


class FormerVersions(Protocol):
    """Finds the versions of an edited message."""

    async def of(self, message: InboxMessage) -> tuple[RequestState, ...]: ...


class AfterTheEnd:
    """`readers` is None if the household wants no extraction; earlier findings are forgotten even so."""

    def __init__(
        self, store: ExtractionStore, former: FormerVersions, person_of: PersonOf, readers: Offers | None
    ) -> None:
        self._store = store
        self._former = former
        self._person_of = person_of
        self._readers = readers

    async def __call__(self, state: RequestState) -> bool:
        """Return False if it has to be retried later."""
        try:
            await self._follow(state)
        except ButlerError as failure:
            _log.warning("extraction_not_queued", problem=failure.message)
            return False
        return True

    async def _follow(self, state: RequestState) -> None:
        if makes_private(state):
            former = await self._former.of(state.message)
            await self._store.drop([one.request_id for one in former])
        to_forget = forgets(state)
        if not to_forget and (self._readers is None or not is_worth_reading(state)):
            return
        person = await self._person_of(state.message.context)
        if person is None:
            return
        if to_forget:
            _log.info("extractions_forgotten", findings=await self._store.forget(person))
        elif not await self._store.add(state.request_id, person):
            _log.warning("extraction_left_out", waiting=MOST_WAITING)
        elif self._readers is not None:
            self._readers.offer(state.request_id, LANE, str(person))
