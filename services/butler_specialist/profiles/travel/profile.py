"""Journeys: what is kept about them, and the answers (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_specialist.locale import say
from butler_specialist.profiles.answering import Lookup
from butler_specialist.profiles.profile import Profile
from butler_specialist.profiles.travel.bookings import drafts_of, tells_of_a_stay
from butler_specialist.profiles.travel.details import asked_detail, detail_text
from butler_specialist.profiles.travel.documents import DOCUMENT, asks_document, documents_text
from butler_specialist.profiles.travel.returns import asks_return, of_the_place, of_the_way_out, return_text
from butler_specialist.profiles.travel.wording import (
    before_text,
    fact_text,
    notes_text,
    rides_text,
    stays_text,
)
from butler_specialist.questions.nothing import all_said
from butler_specialist.questions.recognise import is_question
from butler_specialist.questions.remembered import remembered
from butler_specialist.questions.wording import in_sentences, quoted
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.money import amount_text
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.travels import booking_code, legs, way_of

__all__ = ["TravelProfile"]

_RIDES: Final = ("flight", "train", "bus", "delay")
_ASKS_STAY: Final = re.compile(
    r"\b(?:hotel|stay|staying|hostel|check-?in|unterkunft|hebergement|alojamiento)\b"
)
_ASKS_RIDE: Final = re.compile(
    r"\b(?:flights?|fly|flying|flug|fluge|fliege\w*|vol|vols|vuelos?|vuelo|train|zug|tren|leave|plane"
    r"|boarding|abflug)\b"
)

_PRICE: Final = re.compile(
    r"\b(?:total|price|fare|costs?|tickets?|booking|preis|gesamt\w*|summe|kostet|prix|montant|precio|importe|cuesta)\b"
)


class TravelProfile(Profile):
    """Flight bookings, hotel reservations and itineraries."""

    name = "travel"
    kept = (*_RIDES, "stay", DOCUMENT, "note")
    topics = ("departures",)
    triggers = ("flight bookings", "hotel reservations", "itineraries")

    def asked(self, reading: Reading) -> Lookup | None:
        if not is_question(reading):
            return None
        return Lookup((DOCUMENT,) if asks_document(reading) else (*_RIDES, "stay", "note"))

    def answer(self, reading: Reading, rows: Sequence[Record]) -> str:
        if asks_document(reading):
            return documents_text(rows, reading)
        if asked_detail(reading):
            return detail_text(rows, reading)
        if asks_return(reading) and (back := return_text(rows, reading)):
            return back
        rows = of_the_place(of_the_way_out(rows, reading), reading)
        if not any(row.kind != "note" for row in rows) and (found := remembered(reading, rows)):
            return notes_text(found, reading)
        wants_stay, wants_ride = reading.has(_ASKS_STAY), reading.has(_ASKS_RIDE)
        parts = [rides_text(rows, reading)] if wants_ride or not wants_stay else []
        if wants_stay or not wants_ride:
            parts.append(stays_text(rows, reading))
        return all_said(parts)

    def compose(self, reading: Reading, *, household: bool) -> tuple[RecordDraft, ...]:
        drafts = drafts_of(reading)
        if drafts:
            return tuple(drafts)
        dated = next((sentence for sentence in reading.sentences if sentence.days), reading.sentences[0])
        when = reading.when(dated, "future", usual="future")
        code = reading.either(booking_code)
        return (
            RecordDraft(
                kind="note",
                occurred_on=when.day,
                occurred_at=when.at if when.named else None,
                code=code,
                text=reading.text,
            ),
        )

    def used(self, sentence: Sentence, drafts: Sequence[RecordDraft], reading: Reading) -> bool:
        stays = any(draft.kind == "stay" for draft in drafts)
        rides = any(draft.kind in _RIDES for draft in drafts)
        return (
            (stays and (tells_of_a_stay(sentence) or sentence.has(_ASKS_STAY)))
            or (rides and (any(way_of(sentence)) or bool(sentence.times)))
            or _names_price(sentence)
            or booking_code(sentence.text) is not None
            or super().used(sentence, drafts, reading)
        )

    def compared_with(self, drafts: Sequence[RecordDraft], reading: Reading) -> Lookup | None:
        moved = any(draft.kind == "delay" or draft.details.get("replaces") for draft in drafts)
        return Lookup(_RIDES) if moved else None

    def acknowledge(
        self, drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading, *, household: bool
    ) -> str:
        language = reading.language
        said = in_sentences([fact_text(draft, reading) for draft in drafts])
        said_at = next((sentence for sentence in reading.sentences if _names_price(sentence)), None)
        if said_at is not None and drafts[0].kind != "note":
            price = amount_text(said_at.amounts[0].value, said_at.amounts[0].currency, language)
            said += " " + say(language, "Price named: {price}.", price=price)
        if not household:
            return f"{said} {_recorded_text(drafts[0], reading)}"
        before = before_text(drafts, rows, language)
        noted = say(language, "Noted: {facts}", facts=said)
        return f"{noted} {before}" if before else noted


def _recorded_text(first: RecordDraft, reading: Reading) -> str:
    """Return what the owner is told besides the facts of a stranger's message."""
    kept = say(reading.language, "Recorded only: nothing was booked and nobody answered.")
    quote = quoted(reading.text, language=reading.language)
    return (
        kept if first.kind == "note" else kept + " " + say(reading.language, "It says: {quote}", quote=quote)
    )


def _names_price(sentence: Sentence) -> bool:
    """Return whether its sum is the price of a journey or stay, not a payment for something else."""
    if not sentence.amounts:
        return False
    return sentence.has(_PRICE) or tells_of_a_stay(sentence) or any(way_of(sentence)) or bool(legs(sentence))
