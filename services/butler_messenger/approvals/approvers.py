"""Who is asked for an approval, and may give one by themselves (D65)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from butler_contracts.errors import ValidationFailed
from butler_contracts.language import Language
from butler_kit.db import NamedQueries, Pool, acquire
from butler_messenger.locale import known_language

__all__ = ["Approver", "Approvers", "UnknownApprover"]

_APPROVERS: Final = NamedQueries("butler_messenger.sql", "approvals.sql")["approvers"]


class UnknownApprover(ValidationFailed):
    """Somebody is named who cannot approve of anything; the message says whom and what to do."""


@dataclass(frozen=True, slots=True)
class Approver:
    """A contact who decides."""

    contact_id: UUID
    name: str
    language: Language


class Approvers:
    """The contacts of `names`, without any the owner; looked up anew each time, for contacts change.

    Who has no language of their own has the household's.
    """

    def __init__(self, pool: Pool, names: tuple[str, ...], language: Language) -> None:
        self._pool = pool
        self._names = names
        self._language = language

    async def all(self) -> tuple[Approver, ...]:
        """Those who are of the household now."""
        async with acquire(self._pool, doing="looking for the approvers") as connection:
            rows = await connection.fetch(_APPROVERS, list(self._names))
        return tuple(
            Approver(row["contact_id"], row["name"], known_language(row["language"], self._language))
            for row in rows
        )

    async def check(self) -> None:
        """Raise `UnknownApprover` for a name that is no owner's and no adult's."""
        known = {one.name for one in await self.all()}
        missing = sorted(set(self._names) - known)
        if missing:
            raise UnknownApprover(
                f"modules.approvals.approvers: {', '.join(missing)} is no owner and no adult among the contacts; "
                "add the person to the contacts, or correct the name"
            )
