"""The reply of a session (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from butler_contracts.claims import ClaimV1
from butler_contracts.notify import Format
from butler_specialist.changes.settled import Settled
from butler_specialist.held.model import Wish
from butler_specialist.store.model import (
    Question,
    RecordChange,
    RecordDraft,
    ReminderDraft,
    ReminderStop,
    StandingWish,
    TellingDraft,
)

__all__ = ["Reply", "reply_of"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a session keeps, changes, says and asks; `silent`: others are asked too, and this one has nothing.

    `found`: the answer says what was asked, rather than that nothing is recorded. `claims` are its claims, if
    others are asked the same. `aside` is what the sender is told in their own chat about a question from a group.
    `format` is that of `text`.
    """

    records: tuple[RecordDraft, ...]
    text: str
    changes: tuple[RecordChange, ...] = ()
    question: Question | None = None
    reminders: tuple[ReminderDraft, ...] = ()
    reminder_stops: tuple[ReminderStop, ...] = ()
    silent: bool = False
    found: bool = True
    wishes: tuple[StandingWish, ...] = ()
    tellings: tuple[TellingDraft, ...] = ()
    claims: tuple[ClaimV1, ...] = ()
    aside: str = ""
    held: tuple[Wish, ...] = ()
    format: Format = "plain"

    @property
    def keeps(self) -> bool:
        """Whether it keeps or changes anything."""
        return bool(
            self.records
            or self.changes
            or self.reminders
            or self.reminder_stops
            or self.wishes
            or self.tellings
        )


_NOTHING = Reply((), "")


def reply_of(settled: Sequence[Settled], *, beside: Reply = _NOTHING) -> Reply:
    """Combine the settled texts with the reply to the rest, which precedes those marked `beside`."""
    first = [one.text for one in settled if not one.beside]
    last = [one.text for one in settled if one.beside]
    return replace(
        beside,
        records=(*(draft for one in settled for draft in one.records), *beside.records),
        text=" ".join(filter(None, [*first, beside.text, *last])),
        changes=tuple(change for one in settled for change in one.changes),
        question=next((one.question for one in settled if one.question is not None), beside.question),
    )
