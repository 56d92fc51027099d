# ruff: noqa: E501 - patterns stay on one line
"""Journeys and stays in a message: one record for each ride, stay and document (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from butler_specialist.locale import noop
from butler_specialist.profiles.travel.documents import document_of
from butler_specialist.profiles.travel.stays import days_of_a_stay, is_made_on, names_a_side
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.reading import Reading, Sentence, When
from butler_specialist.understanding.travels import (
    Leg,
    booking_code,
    hour_of,
    legs,
    onward,
    place_after,
    stay_name,
    way_back,
    way_of,
)

__all__ = ["THE_HOTEL", "drafts_of", "tells_of_a_stay"]

THE_HOTEL: Final = noop("the hotel")
"""The title of a stay without a name."""
_STAY: Final = re.compile(
    r"\b(?:hotel|hostel|airbnb|check-?in|check-?out|nights|nachte|nuits|noches|(?:\d|a|one|per|eine?|pro|une?|par|una|por|la) (?:night|nacht|nuit|noche)|unterkunft|pension"
    r"|apartment|reservation|stay|alojamos|alojo|parador|hostal|dormimos|logeons|gite|ferienwohnung|ubernachten|ubernachte)\b"
)
_DELAY: Final = re.compile(
    r"\b(?:delay\w*|verspat\w*|retard\w*|retras\w*|cancel\w*|storniert|annul\w*|cancelad\w*|gestrichen"
    r"|ausgefallen)\b"
)
_DELAY_TEXT: Final = re.compile(
    r"(?:delayed|verspatet|retarde|retrasado)(?:\s+(?:by|um|de)\s+(?:[\w.,]+\s+(?:hours?|minutes?|mins?"
    r"|stunden?|minuten|heures?|horas?|minutos)|\S+))?|cancel\w*|storniert|annul\w*|gestrichen"
)
_CHANGED: Final = re.compile(
    r"\b(?:rebook\w*|rescheduled|moved|changed?|change of plan|now (?:leaves|on|at|departs)|is now"
    r"|umgebucht|verlegt|verschoben|modifie|deplace|cambiado)\b"
)
_NIGHTS: Final = re.compile(
    r"\b(?P<n>\d{1,2}|one|two|three|four|five|six|seven|ten|eine|zwei|drei|vier|deux|trois|dos"
    r"|tres)\s+(?:nights?|nachte?|nuits?|noches?)\b"
)
_KEY_CODE: Final = re.compile(
    r"(?i:\b(?:code|pin|key ?box|key ?safe|schlüssel\w*|türcode|digicode|clave|código)\b)[^\d\n]{0,30}?(?<![\w-])(?P<v>\d{3,8})(?![\w-])"
)
"""The code that opens the door."""
_DEPARTS: Final = re.compile(r"\b(?:depart\w*|dep|abfahrt|abflug|abreise|salida|sale|leaves|leaving)\b")
_COUNT: Final = {
    "one": 1, "eine": 1, "two": 2, "zwei": 2, "deux": 2, "dos": 2, "three": 3, "drei": 3, "trois": 3, "tres": 3,
    "four": 4, "vier": 4, "five": 5, "six": 6, "seven": 7, "ten": 10,
}  # fmt: skip
_LINES_OF_A_LEG: Final = 3
"""How many lines below a number may give its route and day."""


def drafts_of(reading: Reading) -> list[RecordDraft]:
    """Return all that the message states, each once; nothing if it states no journey."""
    booking = reading.either(booking_code)
    changed = reading.has(_CHANGED)
    drafts = [
        _ride(leg, place, reading, booking, changed=changed)
        for place, sentence in enumerate(reading.sentences)
        for leg in _legs(place, sentence, reading)
    ]
    drafts = list(_home_after(drafts, reading))
    staying = _of_the_stay(reading)
    if staying:
        drafts.append(_stay(staying, reading, booking))
    documents = (document_of(sentence, reading) for sentence in reading.sentences)
    return _once([*drafts, *(draft for draft in documents if draft is not None)])


def tells_of_a_stay(sentence: Sentence) -> bool:
    """Return whether the clause is about where somebody sleeps."""
    return sentence.has(_STAY) or stay_name(sentence.text) is not None


def _legs(place: int, sentence: Sentence, reading: Reading) -> Iterator[Leg]:
    found = legs(sentence)
    if found or place == 0:
        yield from found
        return
    before = legs(reading.sentences[place - 1])
    back = (way_back(sentence, before[-1]) or onward(sentence, before[-1])) if before else None
    if back is not None:
        yield back


def _when(leg: Leg, place: int, reading: Reading) -> When:
    """Return a ride's day and time: from its part of the sentence, the whole, or the lines directly below."""
    sentence = reading.sentences[place]
    own = _own_when(leg, sentence, reading)
    if own.named and own.at is None:
        hours = (line.times[0].at for line in _below(place, reading) if line.times and line.has(_DEPARTS))
        own = replace(own, at=next(hours, None))
    if own.named and (leg.said.days or len(sentence.days) < 2):
        return own if own.at else When(own.day, reading.when(leg.said, "future").at, named=True)
    for below in _below(place, reading):
        if below.days:
            return reading.when(below, "future", usual="future")
    if place and own.at is not None and legs(reading.sentences[place - 1]):
        return replace(_own_when(leg, reading.sentences[place - 1], reading), at=own.at)
    return When(reading.today)


def _own_when(leg: Leg, sentence: Sentence, reading: Reading) -> When:
    """Return the day of its part, else of the sentence, and the hour of its part, also as in timetables."""
    own = reading.when(leg.said if leg.said.days else sentence, "future", usual="future")
    mine = reading.when(leg.said, "future").at or hour_of(leg.said)
    return replace(own, at=mine or (own.at if leg.said == sentence or not sentence.times[1:] else None))


def _way(leg: Leg, place: int, reading: Reading) -> tuple[str | None, str | None]:
    """Return the route: from the ride's own words, else from the lines directly below a lone number."""
    if leg.origin or leg.destination or reading.sentences[place].days:
        return leg.origin, leg.destination
    return next((way for below in _below(place, reading) if all(way := way_of(below))), (None, None))


def _below(place: int, reading: Reading) -> Iterator[Sentence]:
    """Yield the next lines that continue about the ride of a line."""
    for sentence in reading.sentences[place + 1 : place + 1 + _LINES_OF_A_LEG]:
        if legs(sentence) or tells_of_a_stay(sentence) or sentence.amounts:
            return
        yield sentence


def _ride(leg: Leg, place: int, reading: Reading, booking: str | None, *, changed: bool) -> RecordDraft:
    sentence = reading.sentences[place]
    delayed = sentence.has(_DELAY)
    when = _when(leg, place, reading)
    origin, destination = _way(leg, place, reading)
    notice = _DELAY_TEXT.search(sentence.folded) if delayed else None
    said = {
        "to": destination,
        "arrives": leg.arrives if not delayed else None,
        "booking": booking,
        "back": leg.back or None,
        "replaces": (changed and not delayed) or None,
        "day": None if when.named else "of the message",
    }
    return RecordDraft(
        kind="delay" if delayed else leg.mode,
        occurred_on=when.day,
        occurred_at=when.at if when.named and not delayed else None,
        code=leg.code or None,
        place=origin,
        title=sentence.text[notice.start() : notice.end()] if notice else None,
        details={name: value for name, value in said.items() if value},
        text=reading.text_of(sentence),
    )


def _home_after(drafts: Sequence[RecordDraft], reading: Reading) -> Iterator[RecordDraft]:
    """Move returns that precede the departure.

    After a day of April "the 17th" is in April or May, and "Sunday" is the one after it.
    """
    out = reading.today
    for draft in drafts:
        if "back" in draft.details and draft.occurred_on < out:
            yield replace(draft, occurred_on=_next_like(draft.occurred_on, out, reading))
        else:
            yield draft
        out = max(out, draft.occurred_on)


def _next_like(day: date, out: date, reading: Reading) -> date:
    """Return the next day from `out` on with its weekday, if so named, else with its day of the month."""
    named = (one for sentence in reading.sentences for one in sentence.days if one.on("future") == day)
    by_weekday = any(one.form == "weekday" for one in named)
    coming = (out + timedelta(days=ahead) for ahead in range(62))
    if by_weekday:
        return next(one for one in coming if one.weekday() == day.weekday())
    return next((one for one in coming if one.day == day.day), day)


def _of_the_stay(reading: Reading) -> list[Sentence]:
    """Return the clauses that say where and when somebody stays; empty if no day goes with a stay."""
    about = [
        sentence
        for sentence in reading.sentences
        if not legs(sentence) and (tells_of_a_stay(sentence) or (sentence.days and names_a_side(sentence)))
    ]
    if not any(tells_of_a_stay(sentence) for sentence in about) and not reading.has(_STAY):
        return []
    if any(sentence.days for sentence in about):
        return about
    headings = [
        sentence for sentence in reading.sentences if sentence.is_heading and not is_made_on(sentence)
    ]
    dated = [sentence for sentence in reading.sentences if sentence.days]
    alone = headings or (
        dated if len(dated) == 1 and not legs(dated[0]) and not any(way_of(dated[0])) else []
    )
    return [*about, *alone] if alone else []


def _stay(about: Sequence[Sentence], reading: Reading, booking: str | None) -> RecordDraft:
    arrival, departure = days_of_a_stay(about, reading)
    nights = (departure - arrival).days if departure else _nights(reading)
    leaves = departure or (arrival + timedelta(days=nights) if nights else None)
    details: dict[str, object] = {"until": leaves.isoformat()} if leaves else {}
    if booking:
        details["booking"] = booking
    if (key := _KEY_CODE.search(reading.text)) is not None:
        details["code"] = key["v"]
    text = "\n".join(sentence.text for sentence in about)
    return RecordDraft(
        kind="stay",
        occurred_on=arrival,
        title=stay_name(text) or stay_name(reading.subject) or THE_HOTEL,
        place=place_after(text) or place_after(reading.subject),
        details=details,
        text=reading.text,
    )


def _nights(reading: Reading) -> int:
    match = _NIGHTS.search(reading.folded)
    return (_COUNT.get(match["n"]) or int(match["n"])) if match else 0


def _once(drafts: Sequence[RecordDraft]) -> list[RecordDraft]:
    """Return the first mention of each ride and day; later ones in the same message add nothing."""
    seen: dict[tuple[object, ...], RecordDraft] = {}
    dated = {draft.code for draft in drafts if "day" not in draft.details}
    for draft in drafts:
        if "day" in draft.details and draft.code in dated:
            continue
        numbered = None if draft.code else (draft.place, draft.details.get("to"), draft.title)
        seen.setdefault((draft.kind, draft.code, draft.occurred_on, numbered), draft)
    return list(seen.values())
