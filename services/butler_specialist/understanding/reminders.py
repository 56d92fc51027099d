"""A wish to be reminded: what of, and when, or what it does not say (pure). EN, DE, FR, ES (D67).

Invariants: the text is the thing alone, in the person's words; a moment is always to come; wall times are those of the
household's zone, also where clocks change; what may mean two moments is taken as the next, and marked so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal

from butler_specialist.understanding.folding import fold
from butler_specialist.understanding.moments import Said, Span, said_in, spans_in
from butler_specialist.understanding.occurrences import Assumed, dues
from butler_specialist.understanding.reminder_words import (
    CONNECTOR,
    CONTINUES,
    FILLER,
    OBLIGED,
    POLITE_LEAD,
    trigger_in,
)

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

Lack = Literal["when", "what", "hour", "past", "often", "event", "several"]


@dataclass(frozen=True, slots=True)
class ReminderAsked:
    """A reminder: `due` is aware, in the household's zone; of a `rule` (RFC 5545, no prefix) it is the first time."""

    text: str
    due: datetime
    rule: str | None = None
    assumed: Assumed | None = None

    @property
    def zone(self) -> str:
        """The IANA name of the zone of its wall time."""
        return getattr(self.due.tzinfo, "key", "UTC")


@dataclass(frozen=True, slots=True)
class ReminderUnclear:
    """A wish that says too little, or of a moment that is over; `due` is that moment."""

    text: str
    lacks: Lack
    due: datetime | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A wish as it is read: `before` stands before it and is a statement of its own; `event` names what it precedes."""

    text: str
    said: Said
    before: str = ""
    event: str = ""
    wakes: bool = False


def wishes_in(text: str) -> tuple[str, ...]:
    """The clause, or its two parts where it asks twice: "… and don't let me forget the milk tomorrow"."""
    folded = fold(text)
    first = trigger_in(folded)
    after = first.rest[-1][0] if first is not None else 0
    second = trigger_in(folded[after:]) if after else None
    if second is None or not folded[after : after + second.start].strip(_EDGES):
        return (text,)
    cut = after + second.start
    before = text[:cut].rstrip(_EDGES)
    joint = _AND_AT_THE_END.search(fold(before))
    return (before[: joint.start()] if joint else before, text[cut:])


def wanted_in(text: str, today: date) -> Wanted | None:
    """The wish of a clause; None where it has none."""
    folded = fold(text)
    trigger = trigger_in(folded)
    if trigger is None:
        return None
    lead = POLITE_LEAD.match(folded)
    when, statement = _split_before(text[lead.end() if lead else 0 : trigger.start], today)
    rest = " ".join(text[start:end].strip() for start, end in trigger.rest).strip()
    head, body = _head_and_body(rest, today)
    head, body = f"{when} {head}".strip(), _bare(body)
    if not body and not trigger.thing and (duty := OBLIGED.match(fold(statement))):
        body, statement = _bare(statement[duty.end() :]), ""
    if said_in(head, today).ahead is not None:
        head, body = _with_the_hour(head, body, today)
        event, body = _event_and_thing(body)
        return Wanted(body or trigger.thing, said_in(head, today), statement, event, trigger.wakes)
    head, body, event = _with_what_follows(head, body, today)
    return Wanted(body or trigger.thing, said_in(head, today), statement, event, trigger.wakes)


def continued_in(text: str, today: date) -> Wanted | None:
    """The wish of a clause that goes on after one: "… and on Friday to call Tom"; None where it is no such clause."""
    folded = fold(text)
    start = next(iter(spans_in(text, today, loose=True)), None)
    opened = FILLER.match(folded)
    led = start is not None and start[0] <= (opened.end() if opened else 0)
    if not CONTINUES.match(folded, start[1] if start and led else 0):
        return None
    head, body = _head_and_body(text, today)
    head, body, event = _with_what_follows(head, _bare(body), today)
    said = said_in(head, today)
    return Wanted(body, said, event=event) if body and (said.names_a_day or said.names_an_hour) else None


def only_when(text: str, today: date) -> bool:
    """Whether the words are of when and of nothing else."""
    left = text
    for start, end in reversed(spans := spans_in(text, today, loose=True)):
        left = f"{left[:start]} {left[end:]}"
    rest = POLITE_LEAD.sub("", fold(left).strip(_EDGES), count=1)
    return bool(spans) and not FILLER.sub("", rest).strip(_EDGES)


def reminders_of(wanted: Wanted, now: datetime) -> Sequence[ReminderAsked | ReminderUnclear]:
    """The reminders of a wish; one that lies `ahead` of something else has its moment with that."""
    found = dues(wanted.said, now, wakes=wanted.wakes)
    if not isinstance(found, tuple):
        return [ReminderUnclear(wanted.text, found.lacks, found.due)]
    if not wanted.text:
        return [ReminderUnclear("", "what")]
    return [ReminderAsked(wanted.text, one.due, one.rule, one.assumed) for one in found]


_AND_AT_THE_END: Final = re.compile(r"[\s,]+(?:and|und|et|y|so|also|then|dann)$")
_EDGES: Final = " \t\n,;:.!?-–—\"'“”„«»"


def _split_before(before: str, today: date) -> tuple[str, str]:
    """What stands before the wish: words of its moment, else a statement."""
    left = before
    for start, end in reversed(spans := spans_in(before, today, loose=True)):
        left = left[:start] + " " + left[end:]
    rest = POLITE_LEAD.sub("", fold(left).strip(_EDGES), count=1)
    return (
        (before[spans[0][0] : spans[-1][1]], "")
        if spans and not rest.strip(_EDGES)
        else ("", _kept(before, rest))
    )


def _kept(before: str, rest: str) -> str:
    if not rest.strip(_EDGES):
        return ""
    kept = before.strip(" ,;:-–")
    joint = _AND_AT_THE_END.search(fold(kept))
    return kept[: joint.start()] if joint else kept


def _head_and_body(rest: str, today: date) -> tuple[str, str]:
    """The words of when that come first, with the connector behind them, and what follows."""
    folded, spans = fold(rest), spans_in(rest, today, loose=True)
    heads: list[str] = []
    place, connected = 0, False
    while place < len(rest):
        span = next((span for span in spans if span[0] <= place < span[1]), None)
        filler = FILLER.match(folded, place)
        connector = CONNECTOR.match(folded, place)
        if span and not (connected and heads):
            heads.append(rest[place : span[1]])
            place = span[1]
        elif folded[place] in _EDGES:
            place += 1
        elif filler:
            place = filler.end()
        elif connector and not connected:
            place, connected = connector.end(), True
        else:
            break
    return " ".join(heads), rest[place:]


def _with_what_follows(head: str, body: str, today: date) -> tuple[str, str, str]:
    """The same, with the words of when that stand in the thing itself, as far as the head leaves that open.

    The last is what the reminder precedes: "to buy a present two days before Clara's birthday".
    """
    said, spans = said_in(head, today), spans_in(body, today, loose=False)
    span = _own(spans, body, today)
    if span is None or (said.names_a_day and said.names_an_hour):
        return head, body, ""
    words, before, after = body[slice(*span)], body[: span[0]], body[span[1] :]
    found = said_in(words, today)
    if (said.names_a_day and found.names_a_day) or (said.names_an_hour and found.names_an_hour):
        return head, body, ""
    whole = f"{head} {words}".strip()
    if found.ahead is not None:
        event = _bare(_without_connector(after))
        return whole, _bare(before), event or _bare(before)
    return whole, _bare(f"{before.rstrip(_EDGES)} {after.strip(' ,;')}"), ""


def _with_the_hour(head: str, body: str, today: date) -> tuple[str, str]:
    """The same, with an hour at the end, which is that of the day before something."""
    span = next(reversed(spans_in(body, today, loose=False)), None)
    said = said_in(body[slice(*span)], today) if span else None
    if span is None or said is None or said.names_a_day or not said.names_an_hour:
        return head, body
    return f"{head} {body[slice(*span)]}", _bare(f"{body[: span[0]].rstrip()} {body[span[1] :].strip()}")


def _without_connector(text: str) -> str:
    found = CONNECTOR.match(fold(text.lstrip(_EDGES)))
    return text.lstrip(_EDGES)[found.end() :] if found else text


_FOR_A_DAY: Final = re.compile(r"\b(?:for|fur|pour|para|of|vom|von|du|del)\s+$")


def _own(spans: Sequence[Span], body: str, today: date) -> Span | None:
    """The words of when at the end of the thing, else at its start, else the only ones; those of a lead anywhere."""
    folded = fold(body)
    leads = (span for span in spans if said_in(body[slice(*span)], today).ahead is not None)
    if (lead := next(leads, None)) is not None or not spans:
        return lead
    at_the_end = not FILLER.sub("", folded[spans[-1][1] :]).strip(_EDGES)
    only = len(spans) == 1 or spans[0][0] == 0
    chosen = spans[-1] if at_the_end else spans[0] if only else None
    return None if chosen and _FOR_A_DAY.search(folded[: chosen[0]]) else chosen


_TO_DO: Final = re.compile(r"\s*(?:\bto\s|,\s*(?:dass|to)\s|\b(?:d'|de |que )(?=\w{2,}(?:er|ir|re|ar)\b))")


def _event_and_thing(body: str) -> tuple[str, str]:
    """What the reminder precedes, and the thing: "Clara's birthday to buy a present"."""
    cut = _TO_DO.search(fold(body))
    if cut:
        return _bare(body[: cut.start()]), _bare(body[cut.end() :])
    return body, body


def _bare(text: str) -> str:
    """Without courtesies and signs at its ends."""
    kept = text.strip(_EDGES)
    tail = re.search(
        r"[\s,]+(?:please|pls|bitte|svp|stp|s'il (?:te|vous) plait|por favor|thanks|thank you|danke|merci"
        r"|gracias|zu)$",
        fold(kept),
    )
    return kept[: tail.start()].strip(_EDGES) if tail else kept
