"""Journeys: what is kept of them, and how it is said back (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from butler_specialist.profiles.profile import Lookup, Profile
from butler_specialist.profiles.travel.itinerary import Ride, rides, stays
from butler_specialist.questions.recognise import is_question
from butler_specialist.questions.wording import count_text, in_sentences, joined, quoted, when_text
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.money import amount_text
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.travels import Leg, booking_code, legs, place_after, stay_name

__all__ = ["TravelProfile"]

_RIDES: Final = ("flight", "train", "bus", "delay")
_STAY: Final = re.compile(
    r"\b(?:hotel|hostel|airbnb|check-?in|check-?out|nights?|nachte?|nuits?|noches?|unterkunft|pension"
    r"|apartment|reservation|stay)\b"
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
_ASKS_STAY: Final = re.compile(
    r"\b(?:hotel|stay|staying|hostel|check-?in|unterkunft|hebergement|alojamiento)\b"
)
_ASKS_RIDE: Final = re.compile(
    r"\b(?:flights?|fly|flying|flug|fluge|fliege\w*|vol|vols|vuelos?|vuelo|train|zug|tren|leave|plane"
    r"|boarding|abflug)\b"
)
_CHECK_IN: Final = re.compile(r"\bcheck-?in\b|\barriv\w+\b|\banreise\b|\barrivee\b|\bllegada\b")
_CHECK_OUT: Final = re.compile(r"\bcheck-?out\b|\babreise\b|\bdepart\b|\bsalida\b")
_NIGHTS: Final = re.compile(
    r"\b(?P<n>\d{1,2}|one|two|three|four|five|six|seven|ten|eine|zwei|drei|vier|deux|trois|dos"
    r"|tres)\s+(?:nights?|nachte?|nuits?|noches?)\b"
)
_COUNT: Final = {
    "one": 1, "eine": 1, "two": 2, "zwei": 2, "deux": 2, "dos": 2, "three": 3, "drei": 3, "trois": 3, "tres": 3,
    "four": 4, "vier": 4, "five": 5, "six": 6, "seven": 7, "ten": 10,
}  # fmt: skip


class TravelProfile(Profile):
    """Flight bookings, hotel reservations and itineraries."""

    name = "travel"
    triggers = ("flight bookings", "hotel reservations", "itineraries")

    def asked(self, reading: Reading) -> Lookup | None:
        return Lookup((*_RIDES, "stay", "note")) if is_question(reading) else None

    def answer(self, reading: Reading, rows: Sequence[Record]) -> str:
        wants_stay, wants_ride = reading.has(_ASKS_STAY), reading.has(_ASKS_RIDE)
        parts = [_rides_text(rows, reading)] if wants_ride or not wants_stay else []
        if wants_stay or not wants_ride:
            parts.append(_stays_text(rows, reading))
        return " ".join(parts)

    def compose(self, reading: Reading, *, household: bool) -> tuple[RecordDraft, ...]:
        changed, booking = reading.has(_CHANGED), reading.either(booking_code)
        drafts = [
            _ride(leg, sentence, reading, booking, changed=changed)
            for sentence in reading.sentences
            for leg in legs(sentence)
        ]
        if not drafts and reading.has(_STAY) and reading.days:
            drafts.append(_stay(reading, booking))
        if drafts:
            return tuple(_once(drafts))
        day = reading.days[0].on("future") if reading.days else reading.today
        return (RecordDraft(kind="note", occurred_on=day, code=booking, text=reading.text),)

    def compared_with(self, drafts: Sequence[RecordDraft], reading: Reading) -> Lookup | None:
        moved = any(draft.kind == "delay" or draft.details.get("replaces") for draft in drafts)
        return Lookup(_RIDES) if moved else None

    def acknowledge(
        self, drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading, *, household: bool
    ) -> str:
        said = in_sentences([_sentence_for(draft, reading) for draft in drafts])
        price = next((amount_text(amount.value, amount.currency) for _, amount in reading.sums), None)
        priced = f" Price named: {price}." if price and drafts[0].kind != "note" else ""
        if not household:
            kept = "Recorded only: nothing was booked and nobody answered."
            says = f" It says: {quoted(reading.text)}" if drafts[0].kind != "note" else ""
            return f"{said}{priced} {kept}{says}"
        before = _before_text(drafts, rows)
        return f"Noted: {said}{priced}{f' {before}' if before else ''}"


def _ride(
    leg: Leg, sentence: Sentence, reading: Reading, booking: str | None, *, changed: bool
) -> RecordDraft:
    delayed = sentence.has(_DELAY)
    day, named = reading.day_for(sentence, "future")
    notice = _DELAY_TEXT.search(sentence.folded) if delayed else None
    details: dict[str, object] = {}
    if leg.destination:
        details["to"] = leg.destination
    if booking:
        details["booking"] = booking
    if changed and not delayed:
        details["replaces"] = True
    if not named:
        details["day"] = "of the message"
    return RecordDraft(
        kind="delay" if delayed else leg.mode,
        occurred_on=day,
        occurred_at=sentence.times[0].at if sentence.times and not delayed else None,
        code=leg.code or None,
        place=leg.origin,
        title=sentence.text[notice.start() : notice.end()] if notice else None,
        details=details,
        text=reading.text_of(sentence),
    )


def _stay(reading: Reading, booking: str | None) -> RecordDraft:
    arrival, departure = _stay_days(reading)
    nights = (departure - arrival).days if departure else _nights(reading)
    leaves = departure or (arrival + timedelta(days=nights) if nights else None)
    details: dict[str, object] = {"until": leaves.isoformat()} if leaves else {}
    if booking:
        details["booking"] = booking
    return RecordDraft(
        kind="stay",
        occurred_on=arrival,
        title=reading.either(stay_name) or "the hotel",
        place=reading.either(place_after),
        details=details,
        text=reading.text,
    )


def _stay_days(reading: Reading) -> tuple[date, date | None]:
    days = [day.on("future") for day in reading.days]
    arrival, departure = days[0], days[1] if len(days) > 1 else None
    for sentence in reading.sentences:
        if sentence.days and sentence.has(_CHECK_IN) and not sentence.has(_CHECK_OUT):
            arrival = sentence.days[0].on("future")
        elif sentence.days and sentence.has(_CHECK_OUT) and not sentence.has(_CHECK_IN):
            departure = sentence.days[0].on("future")
    return arrival, departure if departure and departure > arrival else None


def _nights(reading: Reading) -> int:
    match = _NIGHTS.search(reading.folded)
    return (_COUNT.get(match["n"]) or int(match["n"])) if match else 0


def _once(drafts: Sequence[RecordDraft]) -> list[RecordDraft]:
    """The first mention of each ride and day; later mentions in the same message say nothing new."""
    seen: dict[tuple[str, str | None, date], RecordDraft] = {}
    dated = {draft.code for draft in drafts if "day" not in draft.details}
    for draft in drafts:
        if "day" in draft.details and draft.code in dated:
            continue
        seen.setdefault((draft.kind, draft.code, draft.occurred_on), draft)
    return list(seen.values())


def _sentence_for(draft: RecordDraft, reading: Reading) -> str:
    booking = f" (booking {draft.details['booking']})" if "booking" in draft.details else ""
    if draft.kind == "stay":
        return f"{_stay_text(draft)}."
    if draft.kind == "delay":
        return f"{draft.code or 'the ride'} on {day_text(draft.occurred_on)} is {draft.title or 'delayed'}."
    if draft.kind == "note":
        code = f" (booking {draft.code})" if draft.code else ""
        kept = f"so it is kept as a note for {when_text(draft.occurred_on)}{code}"
        return f"no flight or stay could be read in {quoted(reading.text)}, {kept}."
    way = "".join(
        [
            f" from {draft.place}" if draft.place else "",
            f" to {draft.details['to']}" if "to" in draft.details else "",
        ]
    )
    code = f" {draft.code}" if draft.code else ""
    if "day" in draft.details:
        return f"{draft.kind}{code}{way}{booking}; I could not read its day."
    now = "now " if draft.details.get("replaces") else ""
    return f"{draft.kind}{code}{way} {now}on {when_text(draft.occurred_on, draft.occurred_at)}{booking}."


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


def _before_text(drafts: Sequence[RecordDraft], rows: Sequence[Record]) -> str:
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


def _rides_text(rows: Sequence[Record], reading: Reading) -> str:
    known = rides(rows)
    place = place_after(reading.text)
    known = [ride for ride in known if place is None or ride.goes_to(place)]
    towards = f" to {place}" if place else ""
    coming = [ride for ride in known if ride.day >= reading.today]
    if not coming:
        past = f" The last one was {known[-1].text()}." if known else ""
        return f"No coming flight or train{towards} is recorded.{past}"
    wanted = [
        ride for ride in coming if ride.code.casefold() in reading.text.casefold().replace(" ", "")
    ] or coming
    return _listed(wanted)


def _listed(coming: Sequence[Ride]) -> str:
    after = f" After that: {joined([ride.text() for ride in coming[1:5]])}." if len(coming) > 1 else ""
    return f"Your next {coming[0].mode} is {coming[0].text()}.{after}"


def _stays_text(rows: Sequence[Record], reading: Reading) -> str:
    coming = [
        row
        for row in stays(rows)
        if row.details.get("until", row.occurred_on.isoformat()) >= reading.today.isoformat()
    ]
    if not coming:
        return "No coming stay is recorded."
    return f"Stays: {'; '.join(_stay_text(row) for row in coming[:5])}."
