"""Finds signals in messages, beside the main path of a message: nothing on that path waits for this."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from butler_contracts.context import RequestContext
from butler_kit.db import Pool
from butler_switchboard.assembly.known import Known
from butler_switchboard.dispatch.former import FormerVersions
from butler_switchboard.extraction.after import AfterTheEnd
from butler_switchboard.extraction.store import ExtractionStore
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.operations.audit import Audit

__all__ = ["Extracting", "extracting"]


class Reading(Protocol):
    """Reads queued messages."""

    def offer(self, item_id: UUID, lane: str, source: str) -> bool: ...

    async def run(self, stopping: asyncio.Event) -> None: ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Extracting:
    """The extraction side; `readers` is None if the household wants no extraction."""

    after: AfterTheEnd
    readers: Reading | None = None

    async def run(self, stopping: asyncio.Event) -> None:
        """Read until stopped; do nothing without readers."""
        if self.readers is not None:
            await self.readers.run(stopping)

    async def aclose(self) -> None:
        if self.readers is not None:
            await self.readers.aclose()


def extracting(known: Known, pool: Pool, contacts: Contacts, audit: Audit) -> Extracting:
    store, former = ExtractionStore(pool), FormerVersions(pool)

    async def person_of(context: RequestContext) -> UUID | None:
        """Return whose message it is. Raises while the household cannot be read, rather than guess."""
        return (await contacts.book()).person_of(context)

    if not known.config.routing.relationship_extraction:
        return Extracting(AfterTheEnd(store, former, person_of, None))
    from butler_switchboard.assembly.reading import readers_of  # its phrases take half a second to load

    readers = readers_of(known, pool, store, person_of, audit)
    return Extracting(AfterTheEnd(store, former, person_of, readers), readers)
