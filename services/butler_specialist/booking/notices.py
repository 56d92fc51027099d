"""Tells people about appointments that in the end did not go into the calendar (docs/adr/0098).

Invariant: once per version of a record: a repeat has the same key and is one message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast, get_args
from uuid import UUID

from butler_contracts.errors import ButlerError
from butler_contracts.notify import DeliveryChannel, NotifyDelivery, NotifyRequestV1
from butler_contracts.text import plain_line
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock
from butler_specialist.booking.plan import is_wanted
from butler_specialist.booking.wording import notice_text
from butler_specialist.people.ways import Ways
from butler_specialist.store.bookings import BookingStore, Standing, Untold
from butler_specialist.store.model import Record
from butler_specialist.store.visibility import Policy
from butler_specialist.work.switchboard import Switchboard

__all__ = ["Notices"]

_log = get_logger(__name__)

_MOST: Final = 10
_SUBJECT: Final = 90
_CHANNELS: Final = frozenset(get_args(DeliveryChannel))


class Notices:
    """Sends the notices; `policy` is whose a record is, `ways_of` gives each person's clock and language."""

    def __init__(
        self,
        own_name: str,
        store: BookingStore,
        switchboard: Switchboard,
        *,
        policy: Policy,
        ways_of: Callable[[UUID | None], Ways],
        clock: Clock,
    ) -> None:
        self._own_name = own_name
        self._store = store
        self._switchboard = switchboard
        self._policy = policy
        self._ways_of = ways_of
        self._clock = clock

    async def keep(self) -> bool:
        """Tell everyone who was promised to hear; return whether nobody is left to tell."""
        untold = await self._store.untold(_MOST)
        if not untold:
            return True
        records = await self._store.records([one.record_id for one in untold])
        done = [await self._told(one, records.get(one.record_id)) for one in untold]
        return all(done) and len(untold) < _MOST

    async def _told(self, untold: Untold, record: Record | None) -> bool:
        request = self._request(untold, record) if record is not None else None
        if request is not None:
            try:
                response = await self._switchboard.notify(request)
            except ButlerError as failure:
                _log.warning("booking_notice_put_off", problem=failure.message)
                return False
            if response.error is not None and response.error.retryable:
                return False
        await self._store.told(untold)
        return True

    def _request(self, untold: Untold, record: Record) -> NotifyRequestV1 | None:
        """Return the notice; None if nothing can be sent: the records and `butlers status` still show it."""
        if record.channel not in _CHANNELS or record.contact_id is None or record.version != untold.version:
            return None
        standing = Standing(record, untold, is_wanted(record, self._policy))
        if not (standing.wanted or standing.is_left):
            return None
        ways = self._ways_of(record.contact_id)
        today = self._clock.now().astimezone(ways.clock.zone).date()
        said = notice_text(standing, ways.clock.zone, today, ways.language, titles=untold.titles)
        delivery = NotifyDelivery(
            intent="send",
            channel=cast(DeliveryChannel, record.channel),
            message=said,
            contact_id=str(record.contact_id),
            subject=plain_line(said, most=_SUBJECT) if record.channel == "email" else None,
            idempotency_key=f"booking:{untold.record_id}:{untold.version}",
        )
        return NotifyRequestV1(origin_butler=self._own_name, delivery=delivery)
