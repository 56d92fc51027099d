"""PURE: matches each fact of an edit to one of a former version, and says what becomes of it.

Invariant: only what the edit itself states differently is changed; later changes by others stay.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields, replace

from butler_specialist.store.former import FormerFact
from butler_specialist.store.model import RecordDraft, as_draft

__all__ = ["Match", "Matching", "matched"]

_WHOSE = ("audience", "shared_with")
"""Fields that an edit keeps, unless its own words say whose the record is."""
_FIELDS = tuple(item.name for item in fields(RecordDraft) if item.name not in _WHOSE)
_PLAIN = tuple(name for name in _FIELDS if name != "details")


@dataclass(frozen=True, slots=True)
class Match:
    """A fact of the former version and what the edit says about it."""

    fact: FormerFact
    draft: RecordDraft

    @property
    def after(self) -> RecordDraft | None:
        """The new content of the fact; None if the edit says the same as the message did."""
        said = self.fact.said
        new = {
            name: getattr(self.draft, name)
            for name in _FIELDS
            if getattr(self.draft, name) != getattr(said, name)
        }
        return replace(as_draft(self.fact.record), **new) if new else None

    @property
    def now(self) -> RecordDraft:
        """The fact after the edit."""
        return self.after or as_draft(self.fact.record)

    @property
    def gone(self) -> bool:
        """Whether it was withdrawn since, and the edit does not restore it."""
        return self.fact.record.withdrawn and self.after is None


@dataclass(frozen=True, slots=True)
class Matching:
    """The facts of both versions, of the former one only, and of the edit only."""

    both: tuple[Match, ...]
    only_former: tuple[FormerFact, ...]
    only_edit: tuple[RecordDraft, ...]

    @property
    def changed(self) -> tuple[Match, ...]:
        return tuple(match for match in self.both if match.after is not None)

    @property
    def gone(self) -> tuple[FormerFact, ...]:
        """The former facts to withdraw that are not withdrawn yet."""
        return tuple(fact for fact in self.only_former if not fact.record.withdrawn)


def matched(facts: Sequence[FormerFact], drafts: Sequence[RecordDraft]) -> Matching:
    """Match each draft to the same fact, else one of the same kind and title, else the next of its kind."""
    left, open_drafts = list(facts), list(drafts)
    both: list[Match] = []
    for key in (_whole, _titled, _kind):
        pairs = _paired(left, open_drafts, key)
        both += pairs
        used = {id(pair.fact) for pair in pairs}, {id(pair.draft) for pair in pairs}
        left = [fact for fact in left if id(fact) not in used[0]]
        open_drafts = [draft for draft in open_drafts if id(draft) not in used[1]]
    return Matching(tuple(both), tuple(left), tuple(open_drafts))


def _paired(
    facts: Sequence[FormerFact], drafts: Sequence[RecordDraft], key: Callable[[RecordDraft], Hashable]
) -> list[Match]:
    waiting: dict[Hashable, deque[FormerFact]] = defaultdict(deque)
    for fact in facts:
        waiting[key(fact.said)].append(fact)
    return [Match(waiting[key(draft)].popleft(), draft) for draft in drafts if waiting[key(draft)]]


def _whole(draft: RecordDraft) -> Hashable:
    return tuple(getattr(draft, name) for name in _PLAIN)


def _titled(draft: RecordDraft) -> Hashable:
    return draft.kind, draft.title, draft.party


def _kind(draft: RecordDraft) -> Hashable:
    return draft.kind
