"""Decides whether a message waits for the end of quiet hours, by the database's clock (D66, docs/adr/0080).

Invariant: while anything waits for a person, a later message that can wait goes behind it, so that the order holds.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from butler_contracts.errors import OverloadRejected
from butler_contracts.person_settings import PersonSettings
from butler_contracts.stored import Unreadable, stored
from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_kit.telemetry import get_logger
from butler_messenger.delivery.outgoing import Wished
from butler_messenger.delivery.records import Row
from butler_messenger.quiet.hours import HouseholdHours, can_wait, is_digested

__all__ = ["MOST_WAITING", "QuietTimes"]

_log = get_logger(__name__)

_SQL: Final = NamedQueries("butler_messenger.sql", "quiet.sql")
MOST_WAITING: Final = 1000
"""The most deliveries that wait for the end of quiet hours; further ones have to retry later."""
_COME_AGAIN_S: Final = 600.0


class QuietTimes:
    """The quiet hours of owner and members; other recipients have none."""

    def __init__(self, pool: Pool, household: HouseholdHours, *, expires_after_s: float) -> None:
        self._pool = pool
        self._household = household
        self._expires_after_s = expires_after_s

    async def holds(self, wished: Wished) -> bool:
        """Return whether it would wait now."""
        if not can_wait(wished):
            return False
        async with acquire(self._pool, doing="looking for quiet hours") as connection:
            return await self.until(connection, wished) is not None

    async def until(self, connection: Connection, wished: Wished, *, again: bool = False) -> datetime | None:
        """Return until when it waits, None if not at all; `again`: it has waited, is due, behind nothing."""
        row = await self._person(connection, wished)
        if row is None:
            return None
        now, own = row["now"], _settings(row)
        digest = self._household.digest_for(own, now) if is_digested(wished) and not again else None
        if digest is not None:
            return digest
        end = self._household.end_for(own, now)
        return now if end is None and row["others_wait"] and not again else end

    async def kept(self, connection: Connection, wished: Wished) -> bool:
        """Keep a stored delivery that is in no queue yet, if it has to wait; return whether it has to."""
        until = await self.until(connection, wished)
        if until is None:
            return False
        await self.keep(connection, wished, until, for_s=self._expires_after_s)
        return True

    async def keep(self, connection: Connection, wished: Wished, until: datetime, *, for_s: float) -> None:
        """Let it wait until then; it has `for_s` seconds left after that."""
        await connection.execute(_SQL["keep"], wished.delivery_id, until, for_s)

    async def check_room(self, connection: Connection) -> None:
        """Raise `OverloadRejected` when too many wait."""
        waiting: int = await connection.fetchval(_SQL["waiting_count"])
        if waiting >= MOST_WAITING:
            raise OverloadRejected(
                f"{waiting} messages wait for the end of quiet hours; it comes again when some are sent",
                retry_after_s=_COME_AGAIN_S,
            )

    async def _person(self, connection: Connection, wished: Wished) -> Row | None:
        if not can_wait(wished):
            return None
        row: Row | None = await connection.fetchrow(
            _SQL["of_person"], wished.channel, wished.target_identity, wished.delivery_id
        )
        return row


def _settings(row: Row) -> PersonSettings:
    """Return the person's own settings; unreadable ones count as none, so the household's apply."""
    try:
        return stored(PersonSettings, row["settings"])
    except Unreadable as error:
        _log.warning("person_settings_unreadable", contact_id=str(row["contact_id"]), problem=error.message)
        return PersonSettings()
