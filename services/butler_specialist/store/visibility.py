"""PURE: who may see which record (D68, ADR 0100). The rule itself is the SQL function `may_see`, which takes all of it.

Invariant: a query that reads records for an answer takes a `Viewer`; nobody is one without saying who they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from butler_specialist.store.model import PRIVATE, Record, RecordDraft
from butler_specialist.understanding.household import teller_key

__all__ = ["ALL_HOUSEHOLD", "Audience", "Policy", "Viewer", "made_of", "policy_of"]

Audience = Literal["household", "private", "personal"]
"""Whose the records of a kind are, where nobody said otherwise: everybody's of the household, their teller's, or, if
`personal`, the teller's where they are about the teller and the household's where they are about somebody else."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Kinds that are not the household's, where nobody said otherwise of a record."""

    private: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()

    def keeps_private(self, draft: RecordDraft) -> bool:
        """Whether it is its teller's alone, while nobody says otherwise."""
        return draft.kind in self.private or (draft.kind in self.personal and draft.party is None)

    def is_households(self, record: RecordDraft) -> bool:
        """Whether everybody of the household may see it."""
        return record.audience == "household" or (record.audience is None and not self.keeps_private(record))

    def stamped(self, draft: RecordDraft) -> RecordDraft:
        """The draft as it is kept: what is private when it is told stays so if the manifest shares its kind later."""
        if draft.audience is not None or draft.kind in PRIVATE or not self.keeps_private(draft):
            return draft
        return replace(draft, audience="private")

    def tells_privately(self, kinds: Sequence[str]) -> bool:
        """Whether any of the kinds may have what is not the household's."""
        return any(kind in self.private or kind in self.personal for kind in kinds)


ALL_HOUSEHOLD: Final = Policy()
"""Everything is the household's, but what a person says of themselves."""


def made_of(row: Record, draft: RecordDraft) -> RecordDraft:
    """A draft that has words or sums of a record: whose that is, it is too, also its teller's if another makes it."""
    if row.audience != "private":
        return replace(draft, audience=row.audience)
    teller = teller_key(row.contact_id, row.channel, row.sender)
    return replace(draft, audience="private", shared_with=tuple(dict.fromkeys((*row.shared_with, teller))))


def policy_of(
    audiences: Mapping[str, Audience], *, household: Sequence[str] = (), private: Sequence[str] = ()
) -> Policy:
    """A profile's audiences, but for the kinds that the manifest shares (`household`) or keeps (`private`)."""
    said = {**audiences, **dict.fromkeys(household, "household"), **dict.fromkeys(private, "private")}
    return Policy(
        tuple(sorted(kind for kind, audience in said.items() if audience == "private")),
        tuple(sorted(kind for kind, audience in said.items() if audience == "personal")),
    )


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who sees: `person` (see `teller_key`), None for all who are in a group at once.

    `family` is False for a guest, who sees what they told and what they were told of by name.
    """

    person: str | None
    policy: Policy
    family: bool = True

    @property
    def arguments(self) -> tuple[str | None, bool, list[str], list[str]]:
        """As the queries take them, in their order."""
        return self.person, self.family, [*PRIVATE, *self.policy.private], list(self.policy.personal)
