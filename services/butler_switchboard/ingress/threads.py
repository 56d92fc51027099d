"""The butler that a mail's thread belongs to (CNX-05.1, D26): the one that worked on it last, before any rule.

After a correction (D71) that is the butler to which the mail went instead.

Threads are those of `References` and `In-Reply-To`, as the connector found them, never those of a subject. A member's
mail only follows a thread of household members, so that a stranger who knows its ids cannot divert it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from butler_contracts.ingest import IngestEnvelopeV1, SourceChannel
from butler_contracts.triage import TriageAction, TriageDecision
from butler_kit.db import NamedQueries, Pool, acquire
from butler_switchboard.ingress.senders import SenderDecision
from butler_switchboard.routing.registry_view import GENERAL

__all__ = ["Part", "Threads", "butler_of"]

_RULE: Final = "thread"
_RULE_TYPE: Final = "thread_affinity"
_FOLLOWED: Final = timedelta(days=90)
"""How long a thread belongs to a butler at most; never longer than mails are kept (`retention.inboxDays`)."""
_LATELY: Final = 20
"""How many parts of a thread are searched for the latest request."""
_THREAD_BUTLERS: Final = NamedQueries("butler_switchboard", "sql/ingress.sql")["thread_butlers"]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an earlier request of the thread, and the butler that did it."""

    request_id: UUID
    butler: str
    may_have_it: bool


class Threads:
    """Threads by mailbox; `on` is False unless the household has asked for it."""

    def __init__(self, pool: Pool, *, on: bool) -> None:
        self._pool = pool
        self._on = on

    async def decision(
        self, envelope: IngestEnvelopeV1, sender: SenderDecision, now: datetime
    ) -> TriageDecision | None:
        """Return `route_to` the butler of the mail's thread; None if there is none, or no mail thread."""
        thread = envelope.event.external_thread_id
        if not self._on or thread is None or envelope.source.channel is not SourceChannel.EMAIL:
            return None
        async with acquire(self._pool, doing="looking whose a thread is") as connection:
            rows = await connection.fetch(
                _THREAD_BUTLERS,
                thread,
                envelope.source.endpoint_identity,
                now - _FOLLOWED,
                sender.sender_class == "household",
                _LATELY,
            )
        butler = butler_of([Part(*row) for row in rows])
        if butler is None:
            return None
        return TriageDecision(TriageAction.ROUTE_TO, butler, _RULE, _RULE_TYPE)


def butler_of(parts: Sequence[Part]) -> str | None:
    """Return the butler of the latest request (pure).

    None if several worked on it, or `general`, which nobody chose, or one that may not have it now.
    """
    last = {part.butler: part.may_have_it for part in parts if part.request_id == parts[0].request_id}
    if len(last) != 1:
        return None
    butler, may_have_it = next(iter(last.items()))
    return butler if may_have_it and butler != GENERAL else None
