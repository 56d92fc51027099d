"""A reminder request: its text and its time, or what it lacks (pure). EN, DE, FR, ES (D67).

Invariants: the text is only the thing, in the person's words; a moment is always in the future; wall times are those
of the person's zone, across clock changes too; of two possible moments the next is taken, and marked as assumed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal

from butler_kit.wording.folding import fold
from butler_specialist.understanding.moments import Said, said_in, spans_in
from butler_specialist.understanding.occurrences import Assumed, dues
from butler_specialist.understanding.plain_when import plain_when
from butler_specialist.understanding.reminder_pieces import (
    AND_AT_THE_END,
    EDGES,
    bare,
    event_and_thing,
    head_and_body,
    is_thing,
    split_before,
    with_the_hour,
    with_what_follows,
)
from butler_specialist.understanding.reminder_words import (
    CONTINUES,
    FILLER,
    OBLIGED,
    POLITE_LEAD,
    Trigger,
    trigger_in,
)
from butler_specialist.understanding.routines import is_routine

__all__ = [
    "Lack",
    "ReminderAsked",
    "ReminderUnclear",
    "Wanted",
    "continued_in",
    "only_when",
    "reminders_of",
    "wanted_in",
]

_WAKES: Final = re.compile(
    r"\b(?:wake[- ]?up|waking up|aufwachen|aufstehen|weckruf|se reveiller|despertarme|levantarme)\W*$"
    r"|^\W*(?:(?:an?|the|my|der|den|le|el|la|un) )?(?:alarm(?: clock)?|wecker|reveil|despertador)\W*$"
)
"""Words for waking up, also as a noun, mean the morning.

Waking somebody else ("wake up Leo") may be at any hour.
"""
Lack = Literal["when", "what", "hour", "past", "often", "event", "several"]


@dataclass(frozen=True, slots=True)
class ReminderAsked:
    """A reminder: `due` is aware, in the person's zone; with a `rule` (RFC 5545, no prefix) it is the first time.

    It `elapses` if it is a wait from now, "in ten minutes", and no hour of a clock.
    """

    text: str
    due: datetime
    rule: str | None = None
    assumed: Assumed | None = None
    elapses: bool = False

    @property
    def zone(self) -> str:
        """The IANA name of the zone of its wall time."""
        return getattr(self.due.tzinfo, "key", "UTC")


@dataclass(frozen=True, slots=True)
class ReminderUnclear:
    """A request that says too little, or names a past moment, `due`."""

    text: str
    lacks: Lack
    due: datetime | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request as read: `before` is a statement of its own before it; `event` names what it precedes."""

    text: str
    said: Said
    before: str = ""
    event: str = ""
    wakes: bool = False


_BEFORE_WHAT_WAS_TOLD: Final = re.compile(
    r"\bbefore,? to\s|\b(?:beforehand|in advance|vorher|davor|zuvor|a l'avance|d'avance)\b"
)
"""What follows is what to do, not what it precedes: "remind me two days before to buy wine"."""


def wishes_in(text: str) -> tuple[str, ...]:
    """Return the clause, or two parts if it asks twice: "… and don't let me forget the milk tomorrow"."""
    folded = fold(text)
    first = trigger_in(folded)
    after = first.rest[-1][0] if first is not None else 0
    second = trigger_in(folded[after:]) if after else None
    if second is None or not folded[after : after + second.start].strip(EDGES):
        return (text,)
    cut = after + second.start
    before = text[:cut].rstrip(EDGES)
    joint = AND_AT_THE_END.search(fold(before))
    return (before[: joint.start()] if joint else before, text[cut:])


def wanted_in(text: str, today: date) -> Wanted | None:
    """Return the request of a clause, or None."""
    text = plain_when(text, today)
    folded = fold(text)
    routine = Trigger(0, ((0, len(text)),)) if is_routine(text, today) else None
    trigger = trigger_in(folded) or routine
    if trigger is None:
        return None
    lead = POLITE_LEAD.match(folded)
    when, statement = split_before(text[lead.end() if lead else 0 : trigger.start], today)
    rest = " ".join(text[start:end].strip() for start, end in trigger.rest).strip()
    if not rest.strip(EDGES) and not trigger.thing and not when and is_thing(statement, today):
        rest, statement = statement, ""
    head, body = head_and_body(rest, today)
    head, body = f"{when} {head}".strip(), bare(body)
    if not body and not trigger.thing and (duty := OBLIGED.match(fold(statement))):
        body, statement = bare(statement[duty.end() :]), ""
    if said_in(head, today).ahead is not None:
        head, body = with_the_hour(head, body, today)
        event, body = event_and_thing(body)
        event = "" if _BEFORE_WHAT_WAS_TOLD.search(fold(rest)) else event
        return Wanted(body or trigger.thing, said_in(head, today), statement, event, trigger.wakes)
    head, body, event = with_what_follows(head, body, today)
    return Wanted(body or trigger.thing, said_in(head, today), statement, event, trigger.wakes)


def continued_in(text: str, today: date) -> Wanted | None:
    """Return the request of a clause that continues one: "… and on Friday to call Tom".

    None for any other.
    """
    text = plain_when(text, today)
    folded = fold(text)
    start = next(iter(spans_in(text, today, loose=True)), None)
    opened = FILLER.match(folded)
    led = start is not None and start[0] <= (opened.end() if opened else 0)
    if not CONTINUES.match(folded, start[1] if start and led else 0):
        return None
    head, body = head_and_body(text, today)
    head, body, event = with_what_follows(head, bare(body), today)
    said = said_in(head, today)
    return Wanted(body, said, event=event) if body and (said.names_a_day or said.names_an_hour) else None


def only_when(text: str, today: date) -> bool:
    """Return whether the words are only about when."""
    text = plain_when(text, today)
    left = text
    for start, end in reversed(spans := spans_in(text, today, loose=True)):
        left = f"{left[:start]} {left[end:]}"
    rest = POLITE_LEAD.sub("", fold(left).strip(EDGES), count=1)
    return bool(spans) and not FILLER.sub("", rest).strip(EDGES)


def reminders_of(wanted: Wanted, now: datetime) -> Sequence[ReminderAsked | ReminderUnclear]:
    """Return the reminders of a request; one `ahead` of something else gets its moment with that."""
    found = dues(wanted.said, now, wakes=wanted.wakes or _WAKES.search(fold(wanted.text)) is not None)
    if not isinstance(found, tuple):
        return [ReminderUnclear(wanted.text, found.lacks, found.due)]
    if not wanted.text:
        return [ReminderUnclear("", "what")]
    return [ReminderAsked(wanted.text, one.due, one.rule, one.assumed, one.elapses) for one in found]
