"""PURE: the effect of an invitation's appointment on the records (RFC 5546, section 2.1.4 and 2.1.5; ADR 0105).

Invariants: a record is changed only by the sender of its invitation or its organizer, and only by a later version;
what a person took back themselves stays so; a reply, a counter-proposal and a refresh request are not appointments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from butler_contracts.addresses import comparable_address
from butler_contracts.invitation import InvitedEventV1, Method
from butler_specialist.invited.facts import INVITATION, Facts, draft_of, facts_of, told_of
from butler_specialist.store.model import Record, RecordChange, RecordDraft, as_draft
from butler_specialist.understanding.household import teller_key

__all__ = ["CALLED_OFF", "MOVED", "Inviter", "Verdict", "What", "apart", "decide"]

What = Literal[
    "noted",
    "again",
    "moved",
    "changed",
    "same",
    "older",
    "called_off",
    "called_off_of_series",
    "called_off_elsewhere",
    "called_off_unknown",
    "already_off",
    "not_theirs",
    "taken_back",
    "unclear",
    "answered",
    "proposed",
    "not_done",
]
CALLED_OFF: Final = "called_off"
"""The cause of a withdrawal: the inviter called it off."""
MOVED: Final = "invited_anew"
"""The cause of a change: a later version of its invitation came."""
_NOTES: Final = (None, "publish", "request")
_FIRST: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Inviter:
    """The sender of the mail: the member (see `teller_key`), and the address that was proven to be theirs."""

    key: str
    address: str
    contact_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision on one appointment: what is recorded or changed, and `record`, the one it is about."""

    what: What
    event: InvitedEventV1
    facts: Facts | None = None
    record: Record | None = None
    draft: RecordDraft | None = None
    change: RecordChange | None = None


def decide(
    event: InvitedEventV1,
    method: Method | None,
    kept: Sequence[Record],
    inviter: Inviter,
    *,
    zone_of: Callable[[UUID | None], ZoneInfo],
    untitled: str,
) -> Verdict:
    """Return the decision; `zone_of` is each member's clock: a record keeps the hour of who told it.

    `kept` are the records of its invitation, newest first, including withdrawn ones.
    """
    facts = facts_of(event, zone_of(inviter.contact_id))
    if _calls_off(event, method):
        return _called_off(event, facts, kept, inviter)
    if method == "reply":
        return Verdict("answered", event, facts)
    if method == "counter":
        return Verdict("proposed", event, facts)
    if method not in _NOTES:
        return Verdict("not_done", event, facts)
    known = next((record for record in kept if _is_of(event, record)), None)
    if known is not None and not _is_later(event, known):
        return _known_already(event, facts, known)
    if facts is None:
        return Verdict("unclear", event, record=known)
    if known is None:
        return Verdict("noted", event, facts, draft=draft_of(event, facts, untitled=untitled))
    by_teller = facts_of(event, zone_of(known.contact_id)) or facts
    return _later(event, facts, draft_of(event, by_teller, untitled=untitled), known, inviter)


def apart(event: InvitedEventV1, method: Method | None, kept: Sequence[Record]) -> Sequence[Sequence[Record]]:
    """Return the records to decide on one by one: a whole series that is called off, with its times that were moved."""
    standing = [record for record in kept if not record.withdrawn]
    if not _calls_off(event, method) or event.which is not None or len(standing) < 2:
        return [kept]
    return [[record] for record in standing]


def _calls_off(event: InvitedEventV1, method: Method | None) -> bool:
    return method == "cancel" or (event.cancelled and method in _NOTES)


def _known_already(event: InvitedEventV1, facts: Facts | None, known: Record) -> Verdict:
    if known.withdrawn:
        return Verdict(
            "already_off" if told_of(known).get("cancelled") else "taken_back", event, facts, known
        )
    return Verdict("same" if _version(event) == _kept_version(known) else "older", event, facts, known)


def _later(
    event: InvitedEventV1, facts: Facts, draft: RecordDraft, known: Record, inviter: Inviter
) -> Verdict:
    """Handle a later version of a known appointment."""
    draft = _in_its_series(draft, known)
    difference = _difference(known, draft)
    if not _may_change(event, known, inviter):
        copy = difference == "same" and not known.withdrawn
        return Verdict("same" if copy else "not_theirs", event, facts, known)
    if known.withdrawn and not told_of(known).get("cancelled"):
        return Verdict("taken_back", event, facts, known)
    change = RecordChange(known.record_id, known.version, MOVED, replace(draft, done_on=known.done_on))
    if known.withdrawn:
        return Verdict("again", event, facts, known, change=change)
    return Verdict(difference, event, facts, known, change=change)


def _called_off(
    event: InvitedEventV1, facts: Facts | None, kept: Sequence[Record], inviter: Inviter
) -> Verdict:
    known = next((record for record in kept if event.which is None or _is_of(event, record)), None)
    if known is None:
        return Verdict(
            "called_off_elsewhere" if kept else "called_off_unknown", event, facts, next(iter(kept), None)
        )
    if known.withdrawn:
        return Verdict("already_off", event, facts, known)
    sequence, stamp = _kept_version(known)
    if (event.sequence, event.stamped_at or stamp) < (sequence, stamp):
        return Verdict("older", event, facts, known)
    if not _may_change(event, known, inviter):
        return Verdict("not_theirs", event, facts, known)
    told = {**told_of(known), "sequence": event.sequence, "cancelled": True}
    if event.stamped_at is not None:
        told["stamped_at"] = event.stamped_at.isoformat()
    after = replace(as_draft(known), details={**known.details, INVITATION: told})
    change = RecordChange(known.record_id, known.version, CALLED_OFF, after, withdrawn=True)
    of_series = event.which is not None and told.get("which") is None
    return Verdict("called_off_of_series" if of_series else "called_off", event, facts, known, change=change)


def _is_of(event: InvitedEventV1, record: Record) -> bool:
    """Return whether the record is the same appointment, or the occurrence that the event is about."""
    told = told_of(record)
    if event.which is None:
        return told.get("which") is None
    return event.which in (told.get("which"), told.get("next"))


def _in_its_series(draft: RecordDraft, known: Record) -> RecordDraft:
    """Keep the record the series' own if its recorded occurrence was moved."""
    told, before = told_of(draft), told_of(known)
    if told.get("which") is None or before.get("which") is not None:
        return draft
    series = {name: before[name] for name in ("next", "rule") if name in before}
    kept = {name: value for name, value in told.items() if name != "which"}
    sequence = max(int(told["sequence"]), int(before.get("sequence", 0)))
    return replace(draft, details={**draft.details, INVITATION: {**kept, **series, "sequence": sequence}})


def _difference(known: Record, draft: RecordDraft) -> What:
    before, after = told_of(known), told_of(draft)
    when = (known.occurred_on, known.occurred_at, known.details.get("until"), before.get("seconds"))
    if when != (draft.occurred_on, draft.occurred_at, draft.details.get("until"), after.get("seconds")):
        return "moved"
    words = (known.text, known.place, before.get("rule"))
    return "same" if words == (draft.text, draft.place, after.get("rule")) else "changed"


def _is_later(event: InvitedEventV1, known: Record) -> bool:
    return _version(event) > _kept_version(known)


def _version(event: InvitedEventV1) -> tuple[int, datetime]:
    return event.sequence, event.stamped_at or _FIRST


def _kept_version(known: Record) -> tuple[int, datetime]:
    told = told_of(known)
    stamp = told.get("stamped_at")
    return int(told.get("sequence", 0)), datetime.fromisoformat(stamp) if isinstance(stamp, str) else _FIRST


def _may_change(event: InvitedEventV1, known: Record, inviter: Inviter) -> bool:
    """Return whether it comes from the known organizer: in their own mail, or sent on by the first sender."""
    organizer = told_of(known).get("organizer")
    if event.organizer != organizer:
        return False
    if organizer is not None and comparable_address(inviter.address) == organizer:
        return True
    if teller_key(known.contact_id, known.channel, known.sender) == inviter.key:
        return True
    return known.channel == "email" and comparable_address(known.sender) == comparable_address(
        inviter.address
    )
