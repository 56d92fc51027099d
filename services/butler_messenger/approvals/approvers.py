"""The people who are asked for an approval, each of whom may give it alone (D65)."""

from __future__ import annotations

from collections.abc import Iterable
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
    """A configured approver cannot approve anything; the message says who it is and what to do."""


@dataclass(frozen=True, slots=True)
class Approver:
    """A contact who decides."""

    contact_id: UUID
    name: str
    language: Language


class Approvers:
    """The contacts in `names`, or the owner if it is empty; looked up each time, since contacts change.

    A contact without a language of their own gets the household's.
    """

    def __init__(self, pool: Pool, names: tuple[str, ...], language: Language) -> None:
        self._pool = pool
        self._names = names
        self._language = language

    async def all(self) -> tuple[Approver, ...]:
        """Return the approvers who are in the household now."""
        async with acquire(self._pool, doing="looking for the approvers") as connection:
            rows = await connection.fetch(_APPROVERS, list(self._names))
        return tuple(
            Approver(row["contact_id"], row["name"], known_language(row["language"], self._language))
            for row in rows
        )

    def missing(self, found: Iterable[Approver]) -> tuple[str, ...]:
        """Return the configured names that are not among the approvers `found`."""
        return tuple(sorted(set(self._names) - {one.name for one in found}))

    async def check(self) -> None:
        """Raise `UnknownApprover` for a name that belongs to no owner and no adult."""
        missing = self.missing(await self.all())
        if missing:
            raise UnknownApprover(
                f"modules.approvals.approvers: {', '.join(missing)} is no owner and no adult among the contacts; "
                "add the person to the contacts, or correct the name"
            )
