"""The appointments of an invitation in `records`, found by the invitation's id, which never changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from butler_kit.db import NamedQueries, Pool, acquire
from butler_specialist.store.model import Record
from butler_specialist.store.records import record_of
from butler_specialist.store.visibility import Viewer

__all__ = ["InvitationStore"]

_OF_INVITATION: Final = NamedQueries("butler_specialist.sql", "records.sql")["of_invitation"]
_MOST: Final = 20


class InvitationStore:
    """The invitations of the pool's schema."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def of(self, uid: str, viewer: Viewer) -> Sequence[Record]:
        """Return the invitation's records that the viewer may see, newest first, including withdrawn ones."""
        async with acquire(self._pool, doing="looking for an invitation") as connection:
            rows = await connection.fetch(_OF_INVITATION, uid, *viewer.arguments, _MOST)
        return [record_of(row) for row in rows]
