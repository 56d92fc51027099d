"""The texts about journeys, stays and documents (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Final

from butler_contracts.language import Language
from butler_specialist.locale import count, counted, noop, say
from butler_specialist.profiles.travel.bookings import THE_HOTEL
from butler_specialist.profiles.travel.documents import DOCUMENT, document_text
from butler_specialist.profiles.travel.itinerary import Ride, arrival_text, rides, stays, way_text
from butler_specialist.questions.nothing import Nothing
from butler_specialist.questions.periods import Period, period_of
from butler_specialist.questions.wording import joined, opened, quoted, short_when, when_text
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.travels import place_after

__all__ = ["before_text", "fact_text", "notes_text", "rides_text", "stays_text"]

_HOW_LONG: Final = re.compile(
    r"\b(?:how long (?:until|till|to|before)|how many (?:days|weeks|hours)|days (?:until|till|left)|countdown"
    r"|wie (?:lange|viele tage)|combien de (?:temps|jours)|cuanto (?:falta|tiempo)|cuantos dias)\b"
)
_SHOWN: Final = 5
_FOUND: Final = counted("I found {number} note: {notes}.", "I found {number} notes: {notes}.")


def fact_text(draft: RecordDraft, reading: Reading) -> str:
    """Say what was understood of one record."""
    if draft.kind == DOCUMENT:
        return document_text(draft, reading.language)
    if draft.kind == "stay":
        return f"{_stay_text(draft, reading.language)}."
    if draft.kind == "delay":
        return _delay_text(draft, reading.language)
    if draft.kind == "note":
        return _note_text(draft, reading)
    return _ride_text(draft, reading.language)


def notes_text(notes: Sequence[Record], reading: Reading) -> str:
    """Return the notes that say what no ride or stay does."""
    language = reading.language
    shown = []
    for note in notes[:_SHOWN]:
        when = short_when(note.occurred_on, note.occurred_at, reading.today, language)
        shown.append(f"{quoted(note.text, most=140, language=language)} ({when})")
    return count(language, *_FOUND, len(notes), notes=joined(shown, language))


def before_text(drafts: Sequence[RecordDraft], rows: Sequence[Record], language: Language) -> str:
    """Say what was known about the rides that have changed."""
    known = {ride.code: ride for ride in rides(rows)}
    replaced = [draft for draft in drafts if draft.code in known and draft.details.get("replaces")]
    text, said = noop("Before: {rides}."), [known[draft.code or ""].text(language) for draft in replaced]
    if not said:
        text = noop("But it is noted here as {rides}.")
        said = [
            known[draft.code].text(language)
            for draft in drafts
            if draft.kind == "delay" and draft.code in known and known[draft.code].day != draft.occurred_on
        ]
    return say(language, text, rides="; ".join(said)) if said else ""


def _delay_text(draft: RecordDraft, language: Language) -> str:
    ride = draft.code or say(language, "the ride")
    notice = draft.title or say(language, "delayed")
    if "day" in draft.details:
        return say(language, "{ride} is {notice}.", ride=ride, notice=notice)
    day = day_text(draft.occurred_on, language)
    return say(language, "{ride} on {day} is {notice}.", ride=ride, day=day, notice=notice)


def _note_text(draft: RecordDraft, reading: Reading) -> str:
    language = reading.language
    text = noop("a note{booking}: {quote}; I found no journey or stay in it.")
    if draft.occurred_on != reading.today:
        text = noop("a note for {when}{booking}: {quote}; I found no journey or stay in it.")
    when, quote = (
        when_text(draft.occurred_on, draft.occurred_at, language),
        quoted(draft.text, language=language),
    )
    return say(language, text, when=when, booking=_booking(draft.code, language), quote=quote)


def _ride_text(draft: RecordDraft, language: Language) -> str:
    said = mode_called(draft.kind, language) + (f" {draft.code}" if draft.code else "")
    said += way_text(draft.place, draft.details.get("to"), language)
    booking = _booking(draft.details.get("booking"), language)
    if "day" in draft.details:
        return say(language, "{ride}{booking}; I found no day for it.", ride=said, booking=booking)
    text = noop("{ride} on {when}{arrival}{booking}.")
    if draft.details.get("replaces"):
        text = noop("{ride} now on {when}{arrival}{booking}.")
    when = when_text(draft.occurred_on, draft.occurred_at, language)
    arrival = arrival_text(draft.details.get("arrives"), language)
    return say(language, text, ride=said, when=when, arrival=arrival, booking=booking)


def _booking(code: str | None, language: Language) -> str:
    return " " + say(language, "(booking {code})", code=code) if code else ""


def mode_called(mode: str, language: Language) -> str:
    """`flight`."""
    return say(language, _CALLED.get(mode, mode))


def rides_text(rows: Sequence[Record], reading: Reading) -> str:
    """Return the rides that a question is about, the next first."""
    period, language = period_of(reading, usual="future"), reading.language
    place = place_after(reading.text) if period is None else None
    known = [ride for ride in rides(rows) if place is None or ride.goes_to(place)]
    if period is not None:
        return _of_period([ride for ride in known if _within(ride.day, ride.day, period)], period, language)
    coming = [ride for ride in known if ride.day >= reading.today]
    if not coming:
        none = noop("No coming flight or train is noted.")
        nothing = say(
            language, noop("No coming flight or train to {place} is noted.") if place else none, place=place
        )
        return f"{nothing} {_last_text(known[-1], language)}" if known else Nothing(nothing)
    named = reading.text.casefold().replace(" ", "")
    wanted = [ride for ride in coming if ride.code and ride.code.casefold().replace(" ", "") in named]
    wanted = wanted or [ride for ride in coming if _MODES[ride.mode].search(reading.folded)] or coming
    return _until(wanted[0], reading) if reading.has(_HOW_LONG) else _listed(wanted, language)


def _last_text(ride: Ride, language: Language) -> str:
    return say(language, "The last one was {ride}.", ride=ride.text(language))


_CALLED: Final = {"flight": noop("flight"), "train": noop("train"), "bus": noop("bus")}
_MODES: Final = {
    "flight": re.compile(r"\b(?:flights?|fly|flying|plane|flug|fluge|vols?|avion|vuelos?)\b"),
    "train": re.compile(r"\b(?:trains?|zug|zuge|bahn|tren|trenes)\b"),
    "bus": re.compile(r"\b(?:bus|coach|autobus)\b"),
}


def stays_text(rows: Sequence[Record], reading: Reading) -> str:
    """Return the stays that a question is about."""
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
    language = reading.language
    if not found:
        text = noop("No stay is noted {period}.") if period else noop("No coming stay is noted.")
        return Nothing(say(language, text, period=period.label if period else ""))
    shown = "; ".join(_stay_text(row, language) for row in found[:_SHOWN])
    return say(language, "Stays: {stays}.", stays=shown)


def _within(first: date, last: date, period: Period) -> bool:
    return (period.end is None or first < period.end) and (period.start is None or last >= period.start)


def _of_period(found: Sequence[Ride], period: Period, language: Language) -> str:
    if not found:
        return Nothing(say(language, "No flight or train is noted {period}.", period=period.label))
    shown = joined([_with_mode(ride, language) for ride in found[:_SHOWN]], language)
    return say(language, "{period}: {rides}.", period=opened(period.label), rides=shown)


def _with_mode(ride: Ride, language: Language) -> str:
    return f"{mode_called(ride.mode, language)} {ride.text(language)}"


def _listed(coming: Sequence[Ride], language: Language) -> str:
    first, *others = coming
    mode = mode_called(first.mode, language)
    said = say(language, "Your next {mode} is {ride}.", mode=mode, ride=first.text(language))
    if not others:
        return said
    rest = joined([ride.text(language) for ride in others[:4]], language)
    return said + " " + say(language, "After that: {rides}.", rides=rest)


def _until(ride: Ride, reading: Reading) -> str:
    """Return how long it is until the ride: in days, on its own day in hours."""
    moment, language = reading.moment, reading.language
    days, which = (ride.day - moment.date()).days, _with_mode(ride, language)
    left = count(language, *_DAYS, days)
    if days <= 1 and ride.at is not None:
        leaves = datetime.combine(ride.day, ride.at, moment.tzinfo)
        minutes = int((leaves.timestamp() - moment.timestamp()) // 60)
        if minutes < 0:
            return say(language, "Your {ride} has left.", ride=which)
        hours = [count(language, *_HOURS, minutes // 60)] if minutes >= 60 else []
        left = joined([*hours, count(language, *_MINUTES, minutes % 60)], language)
    return say(language, "{left} until your {ride}.", left=left, ride=which)


_DAYS: Final = counted("{number} day", "{number} days")
_HOURS: Final = counted("{number} hour", "{number} hours")
_MINUTES: Final = counted("{number} minute", "{number} minutes")
_NIGHTS: Final = counted("to {day} ({number} night)", "to {day} ({number} nights)")


def _stay_text(draft: RecordDraft, language: Language) -> str:
    until = draft.details.get("until")
    name = say(language, THE_HOTEL) if draft.title == THE_HOTEL else draft.title
    named = draft.place and draft.place not in (draft.title or "")
    place = say(language, " in {place}", place=draft.place) if named else ""
    arrives = day_text(draft.occurred_on, language)
    parts = [
        say(
            language,
            "{stay}{place} from {day}",
            stay=name or say(language, "a stay"),
            place=place,
            day=arrives,
        )
    ]
    if isinstance(until, str):
        leaves = date.fromisoformat(until)
        nights = (leaves - draft.occurred_on).days
        parts.append(count(language, *_NIGHTS, nights, day=day_text(leaves, language)))
    if "booking" in draft.details:
        parts.append(say(language, "(confirmation {code})", code=draft.details["booking"]))
    if "code" in draft.details:
        parts.append(say(language, "(code {code})", code=draft.details["code"]))
    return " ".join(parts)
