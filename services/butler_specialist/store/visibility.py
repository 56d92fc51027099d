"""PURE: who may see which record (D68, ADR 0100). The SQL function `may_see` applies the rule, given all of this.

Invariant: a query that reads records for an answer takes a `Viewer`, and a `Viewer` always says who they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from butler_specialist.store.model import PRIVATE, Record, RecordDraft
from butler_specialist.understanding.household import teller_key

__all__ = ["ALL_HOUSEHOLD", "Audience", "Policy", "Viewer", "made_of", "policy_of"]

Audience = Literal["household", "private", "personal"]
"""Whose the records of a kind are, unless somebody said otherwise.

The whole household's; their teller's; or, if `personal`, the teller's where they are about the teller and the
household's where they are about somebody else.
"""


@dataclass(frozen=True, slots=True)
class Policy:
    """The kinds that are not the household's, unless somebody said otherwise of a record."""

    private: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()

    def keeps_private(self, draft: RecordDraft) -> bool:
        """Return whether the record is its teller's alone, unless somebody says otherwise."""
        return self._is_tellers(draft.kind, draft.party)

    def is_households(self, record: RecordDraft) -> bool:
        """Return whether the whole household may see the record."""
        return record.audience == "household" or (record.audience is None and not self.keeps_private(record))

    def withholds(self, told: Mapping[str, Any]) -> bool:
        """Return whether a stored record (by column) is not for everybody in the household to see."""
        if told["sender_class"] != "household":
            return False
        audience = told.get("audience")
        return audience == "private" or (audience is None and self._is_tellers(told["kind"], told["party"]))

    def stamped(self, draft: RecordDraft) -> RecordDraft:
        """Return the draft as stored: what is private when told stays so if its kind is shared later."""
        if draft.audience is not None or draft.kind in PRIVATE or not self.keeps_private(draft):
            return draft
        return replace(draft, audience="private")

    def _is_tellers(self, kind: str, party: str | None) -> bool:
        return kind in self.private or (kind in self.personal and party is None)

    def tells_privately(self, kinds: Sequence[str]) -> bool:
        """Return whether any of the kinds may hold records that are not the household's."""
        return any(kind in self.private or kind in self.personal for kind in kinds)


ALL_HOUSEHOLD: Final = Policy()
"""Everything is the household's, except what people say about themselves."""


def made_of(row: Record, draft: RecordDraft) -> RecordDraft:
    """Return a draft that quotes a record with that record's audience, which includes the record's teller."""
    if row.audience != "private":
        return replace(draft, audience=row.audience)
    teller = teller_key(row.contact_id, row.channel, row.sender)
    return replace(draft, audience="private", shared_with=tuple(dict.fromkeys((*row.shared_with, teller))))


def policy_of(
    audiences: Mapping[str, Audience], *, household: Sequence[str] = (), private: Sequence[str] = ()
) -> Policy:
    """Return a profile's policy; the manifest shares (`household`) or keeps (`private`) some of its kinds."""
    said = {**audiences, **dict.fromkeys(household, "household"), **dict.fromkeys(private, "private")}
    return Policy(
        tuple(sorted(kind for kind, audience in said.items() if audience == "private")),
        tuple(sorted(kind for kind, audience in said.items() if audience == "personal")),
    )


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who is reading: `person` (see `teller_key`), or None for everyone in a group at once.

    `family` is False for a guest, who sees what they told and what was shared with them by name.
    """

    person: str | None
    policy: Policy
    family: bool = True

    @property
    def arguments(self) -> tuple[str | None, bool, list[str], list[str]]:
        """The viewer as query arguments, in their order."""
        return self.person, self.family, [*PRIVATE, *self.policy.private], list(self.policy.personal)
