"""Each person's own settings, as last reported, and the reminders that follow them (ADR 0059).

Invariant: a reminder moves with its work row, in one statement, and only while it is as it was read and not being
told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

import asyncpg

from butler_contracts.person_settings import PersonSettings
from butler_contracts.stored import stored
from butler_kit.db import NamedQueries, Pool, acquire
from butler_specialist.remind.moving import Kept, moved
from butler_specialist.remind.rule import Occurrence

__all__ = ["PeopleStore"]

_SQL = NamedQueries("butler_specialist.sql", "people.sql")
_SETTINGS: Final = _SQL["settings"]
_REPLACE: Final = _SQL["replace"]
_ELSEWHERE: Final = _SQL["elsewhere"]
_MOVE: Final = _SQL["move"]
_MOST: Final = 500
"""The most reminders that one pass moves; the next pass finds the others."""


class PeopleStore:
    """Settings and reminders in the pool's schema."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def settings(self) -> dict[UUID, PersonSettings]:
        """Return the settings as last reported. Raises `Unreadable`."""
        async with acquire(self._pool, doing="reading the settings of people") as connection:
            rows = await connection.fetch(_SETTINGS)
        return {row["contact_id"]: stored(PersonSettings, row["settings"]) for row in rows}

    async def replace(self, told: Mapping[UUID, PersonSettings]) -> None:
        """Replace all settings with these."""
        said = {str(contact_id): settings.to_wire() for contact_id, settings in told.items()}
        async with acquire(self._pool, doing="keeping the settings of people") as connection:
            await connection.execute(_REPLACE, said)

    async def move_reminders(self, household: ZoneInfo, own: Mapping[UUID, PersonSettings]) -> int:
        """Move the reminders that contacts asked for to the zones they have now; return how many moved."""
        zones = {str(contact_id): one.timezone for contact_id, one in own.items() if one.timezone}
        async with acquire(self._pool, doing="moving reminders to another zone") as connection:
            rows = await connection.fetch(_ELSEWHERE, household.key, zones, _MOST)
            count: int = await connection.fetchval(_MOVE, [_moved(row) for row in rows]) if rows else 0
        return count


def _moved(row: asyncpg.Record) -> dict[str, Any]:
    before = Kept(
        Occurrence(row["due_wall"], row["due_at"]), row["rule"], ZoneInfo(row["zone"]), row["elapses"]
    )
    after = moved(before, ZoneInfo(row["own_zone"]))
    return {
        "reminder_id": str(row["reminder_id"]),
        "due_before": row["due_at"].isoformat(),
        "zone_before": row["zone"],
        "zone": after.zone.key,
        "rule": after.rule,
        "due_wall": after.next.wall.isoformat(),
        "due_at": after.next.at.isoformat(),
    }
