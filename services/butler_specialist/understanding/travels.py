"""Flights, trains, stays and booking codes (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from butler_specialist.understanding.folding import words
from butler_specialist.understanding.reading import Sentence

__all__ = ["Leg", "booking_code", "legs", "place_after", "stay_name"]

_FLIGHT: Final = re.compile(
    r"(?<![\w-])(?P<carrier>[A-Z]{2}|[A-Z]\d|\d[A-Z]) ?(?P<number>\d{2,4})(?![\w]|[.,:/-]\d)"
)
_NO_CARRIER: Final = words(
    "AM PM NO NR ID EU UK US XX ON IN AT TO BY KM CM MG KG ML DE IT IS OF OR UM IM EL LA LE"
)
_TRAIN: Final = re.compile(r"(?<!\w)(?P<train>(?:ICE|IC|EC|RJX?|TGV|AVE|RE|RB|Eurostar|NJ) ?\d{1,5})\b")
_MODE: Final = re.compile(r"\b(?:train|zug|tren|bus|flight|flug|vol|vuelo|fly)\b")
_RAIL: Final = frozenset({"train", "zug", "tren"})
_CODE: Final = re.compile(
    r"(?i:\b(?:booking|confirmation|reservation|record locator|reference|ref|pnr|buchung(?:snummer"
    r"|scode)?|bestätigung|réservation|référence|reserva|localizador))"
    r"(?:\s*(?i:no\.?|nr\.?|number|code|n°|#|is|:"
    r"|ref))*[\s:#]*(?P<code>(?=[A-Z0-9-]*\d)[A-Z0-9]{2,}(?:-[A-Z0-9]+)*|[A-Z]{6})\b"
)
_PLACE: Final = r"(?<![\w'-])[A-ZÄÖÜÉÈÁÍÓÚÑ][\w'-]++(?: [A-ZÄÖÜÉÈÁÍÓÚÑ][\w'-]++){0,2}"
_TIMED: Final = re.compile(
    rf"(?P<a>{_PLACE}) (?P<dep>\d{{1,2}}:\d{{2}})\s*(?:-|–|—|→"
    rf"|to)\s*(?P<b>{_PLACE})(?: (?P<arr>\d{{1,2}}:\d{{2}}))?"
)
_FROM_TO: Final = re.compile(
    rf"\b(?:from|von|de|desde) (?P<a>{_PLACE}) (?:to|nach|à|a|hacia) (?P<b>{_PLACE})"
)
_FROM: Final = re.compile(rf"\b(?:from|von|depuis|desde) (?P<a>{_PLACE})")
_TO: Final = re.compile(rf"\b(?:to|nach|for|à|a|para) (?P<b>{_PLACE})")
_IN: Final = re.compile(rf"\b(?:in|en|à|near) (?P<p>{_PLACE})")
_HOTEL: Final = re.compile(
    rf"\b(?P<name>(?:Hotel|Hostel|Hôtel|Pension|Airbnb|Gasthof|Pensión) {_PLACE}|{_PLACE} (?:Hotel"
    rf"|Hostel|Inn|Resort))(?=\b)"
)
_HOTEL_PLACE: Final = re.compile(rf"(?:Hotel|Hostel|Hôtel|Pension|Pensión) {_PLACE},\s*(?P<p>{_PLACE})")


@dataclass(frozen=True, slots=True)
class Leg:
    """One ride of a journey, as far as the sentence names it; `code` is empty when it names none."""

    mode: str
    code: str
    origin: str | None
    destination: str | None


def legs(sentence: Sentence) -> tuple[Leg, ...]:
    """The flights and trains that the sentence names, with where they go."""
    text = sentence.text
    found = [
        ("flight", f"{match['carrier']}{match['number']}", match.start())
        for match in _FLIGHT.finditer(text)
        if match["carrier"] not in _NO_CARRIER
    ]
    found += [("train", match["train"], match.start()) for match in _TRAIN.finditer(text)]
    origin, destination = _route(text)
    word = _MODE.search(sentence.folded)
    if not found and word and (origin or destination):
        found = [("train" if word.group() in _RAIL else "bus" if word.group() == "bus" else "flight", "", 0)]
    return tuple(
        Leg(mode, code, origin, destination) for mode, code, _ in sorted(found, key=lambda item: item[2])
    )


def booking_code(text: str) -> str | None:
    """The code of a booking or confirmation."""
    match = _CODE.search(text)
    return match["code"] if match else None


def stay_name(text: str) -> str | None:
    """The name of a hotel."""
    match = _HOTEL.search(text)
    return match["name"] if match else None


def place_after(text: str) -> str | None:
    """The town that "in", "to" or the hotel's name names."""
    for pattern, group in ((_HOTEL_PLACE, "p"), (_IN, "p"), (_TO, "b")):
        match = pattern.search(text)
        if match:
            return match[group]
    return None


def _route(text: str) -> tuple[str | None, str | None]:
    for pattern in (_TIMED, _FROM_TO):
        match = pattern.search(text)
        if match:
            return match["a"], match["b"]
    start, end = _FROM.search(text), _TO.search(text)
    return (start["a"] if start else None), (end["b"] if end else None)
