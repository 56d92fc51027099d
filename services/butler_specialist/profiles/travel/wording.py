"""What is said of journeys, stays and documents (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Final

from butler_specialist.profiles.travel.documents import DOCUMENT, document_text
from butler_specialist.profiles.travel.itinerary import Ride, rides, stays
from butler_specialist.questions.periods import Period, period_of
from butler_specialist.questions.wording import count_text, joined, quoted, when_text
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.travels import place_after

__all__ = ["before_text", "fact_text", "rides_text", "stays_text"]

_HOW_LONG: Final = re.compile(
    r"\b(?:how long (?:until|till|to|before)|how many (?:days|weeks|hours)|days (?:until|till|left)|countdown"
    r"|wie (?:lange|viele tage)|combien de (?:temps|jours)|cuanto (?:falta|tiempo)|cuantos dias)\b"
)
_SHOWN: Final = 5


def fact_text(draft: RecordDraft, reading: Reading) -> str:
    """What was understood of one record."""
    booking = f" (booking {draft.details['booking']})" if "booking" in draft.details else ""
    if draft.kind == DOCUMENT:
        return document_text(draft)
    if draft.kind == "stay":
        return f"{_stay_text(draft)}."
    if draft.kind == "delay":
        day = "" if "day" in draft.details else f" on {day_text(draft.occurred_on)}"
        return f"{draft.code or 'the ride'}{day} is {draft.title or 'delayed'}."
    if draft.kind == "note":
        code = f" (booking {draft.code})" if draft.code else ""
        day = (
            f" for {when_text(draft.occurred_on, draft.occurred_at)}"
            if draft.occurred_on != reading.today
            else ""
        )
        return f"a note{day}{code}: {quoted(draft.text)}; I found no journey or stay in it."
    way = "".join(
        [
            f" from {draft.place}" if draft.place else "",
            f" to {draft.details['to']}" if "to" in draft.details else "",
        ]
    )
    code = f" {draft.code}" if draft.code else ""
    if "day" in draft.details:
        return f"{draft.kind}{code}{way}{booking}; I found no day for it."
    now = "now " if draft.details.get("replaces") else ""
    lands = f", arriving at {draft.details['arrives']}" if "arrives" in draft.details else ""
    return (
        f"{draft.kind}{code}{way} {now}on {when_text(draft.occurred_on, draft.occurred_at)}{lands}{booking}."
    )


def before_text(drafts: Sequence[RecordDraft], rows: Sequence[Record]) -> str:
    """What was known of the rides that have changed."""
    known = {ride.code: ride for ride in rides(rows)}
    said = [
        known[draft.code].text() for draft in drafts if draft.code in known and draft.details.get("replaces")
    ]
    if said:
        return f"Before: {'; '.join(said)}."
    moved = [
        known[draft.code].text()
        for draft in drafts
        if draft.kind == "delay" and draft.code in known and known[draft.code].day != draft.occurred_on
    ]
    return f"But it is noted here as {'; '.join(moved)}." if moved else ""


def rides_text(rows: Sequence[Record], reading: Reading) -> str:
    """The rides that a question is about, the next first."""
    period = period_of(reading, usual="future")
    place = place_after(reading.text) if period is None else None
    known = [ride for ride in rides(rows) if place is None or ride.goes_to(place)]
    if period is not None:
        return _of_period([ride for ride in known if _within(ride.day, ride.day, period)], period)
    coming = [ride for ride in known if ride.day >= reading.today]
    if not coming:
        past = f" The last one was {known[-1].text()}." if known else ""
        return f"No coming flight or train{f' to {place}' if place else ''} is noted.{past}"
    named = reading.text.casefold().replace(" ", "")
    wanted = [ride for ride in coming if ride.code and ride.code.casefold().replace(" ", "") in named]
    wanted = wanted or [ride for ride in coming if _MODES[ride.mode].search(reading.folded)] or coming
    return _until(wanted[0], reading.moment) if reading.has(_HOW_LONG) else _listed(wanted)


_MODES: Final = {
    "flight": re.compile(r"\b(?:flights?|fly|flying|plane|flug|fluge|vols?|avion|vuelos?)\b"),
    "train": re.compile(r"\b(?:trains?|zug|zuge|bahn|tren|trenes)\b"),
    "bus": re.compile(r"\b(?:bus|coach|autobus)\b"),
}


def stays_text(rows: Sequence[Record], reading: Reading) -> str:
    """The stays that a question is about."""
    period = period_of(reading, usual="future")
    known = [
        (row, date.fromisoformat(row.details.get("until", row.occurred_on.isoformat())))
        for row in stays(rows)
    ]
    found = [
        row
        for row, leaves in known
        if (_within(row.occurred_on, leaves, period) if period else leaves >= reading.today)
    ]
    if not found:
        return f"No stay is noted {period.label}." if period else "No coming stay is noted."
    return f"Stays: {'; '.join(_stay_text(row) for row in found[:_SHOWN])}."


def _within(first: date, last: date, period: Period) -> bool:
    return (period.end is None or first < period.end) and (period.start is None or last >= period.start)


def _of_period(found: Sequence[Ride], period: Period) -> str:
    if not found:
        return f"No flight or train is noted {period.label}."
    return f"{period.label[:1].upper()}{period.label[1:]}: {joined([_with_mode(ride) for ride in found[:_SHOWN]])}."


def _with_mode(ride: Ride) -> str:
    return f"{ride.mode} {ride.text()}"


def _listed(coming: Sequence[Ride]) -> str:
    after = f" After that: {joined([ride.text() for ride in coming[1:5]])}." if len(coming) > 1 else ""
    return f"Your next {coming[0].mode} is {coming[0].text()}.{after}"


def _until(ride: Ride, moment: datetime) -> str:
    """How long it is until the ride: in days, on its own day in hours."""
    days = (ride.day - moment.date()).days
    left = count_text(days, "day")
    if days <= 1 and ride.at is not None:
        leaves = datetime.combine(ride.day, ride.at, moment.tzinfo)
        minutes = int((leaves.timestamp() - moment.timestamp()) // 60)
        if minutes < 0:
            return f"Your {ride.mode} {ride.text()} has left."
        hours = [count_text(minutes // 60, "hour")] if minutes >= 60 else []
        left = joined([*hours, count_text(minutes % 60, "minute")])
    return f"{left} until your {ride.mode} {ride.text()}."


def _stay_text(draft: RecordDraft) -> str:
    until = draft.details.get("until")
    place = f" in {draft.place}" if draft.place and draft.place not in (draft.title or "") else ""
    parts = [f"{draft.title or 'a stay'}{place} from {day_text(draft.occurred_on)}"]
    if isinstance(until, str):
        leaves = date.fromisoformat(until)
        parts.append(f"to {day_text(leaves)} ({count_text((leaves - draft.occurred_on).days, 'night')})")
    if "booking" in draft.details:
        parts.append(f"(confirmation {draft.details['booking']})")
    return " ".join(parts)
