# ruff: noqa: E501 - patterns stay on one line
"""Flights, trains, stays and booking codes (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time
from itertools import pairwise
from typing import Final

from butler_kit.wording.folding import fold, words
from butler_specialist.understanding.reading import Sentence

__all__ = [
    "Leg",
    "booking_code",
    "hour_of",
    "legs",
    "onward",
    "place_after",
    "stay_name",
    "way_back",
    "way_of",
]

_FLIGHT: Final = re.compile(
    r"(?<![\w-])(?P<carrier>[A-Z]{2}|[A-Z]\d|\d[A-Z]) ?(?P<number>\d{2,4})(?![\w]|[.,:/-]\d)"
)
_NO_CARRIER: Final = words(
    "AM PM NO NR ID EU UK US XX ON IN AT TO BY KM CM MG KG ML DE IT IS OF OR UM IM EL LA LE"
)
_TRAIN: Final = re.compile(r"(?<!\w)(?P<train>(?:ICE|IC|EC|RJX?|TGV|AVE|RE|RB|Eurostar|NJ) ?\d{1,5})\b")
_MODE: Final = re.compile(
    r"\b(?:train|zug|tren|bus|coach(?= (?:to|from)\b)|plane|avion|ferry|flight|flug|vol|vuelo|fly|flying|flies|fliegen|fliege|fliegt|tgv|eurostar)\b"
)
_RAIL: Final = frozenset({"train", "zug", "tren", "tgv", "eurostar"})
_SMALL_TO: Final = re.compile(
    r"\b(?:(?:flying|flies|fly|flight|train|bus)(?: (?:tmrw|tomorrow|today|tonight|\w{3,9}day))?(?: (?:at )?\d{1,2}[:.]\d\d)? (?:back )?to|(?:zug|bus|bahn)(?: \d{1,2}[:.]\d\d)? nach|(?:tren|bus|avion) a|train pour|vol pour)"
    r" (?P<b>(?!the |my |our |a |see |work|school|meet )[a-z][\w-]{2,20})\b"
)
"""The destination, without capitals: "flying to accra"."""
_CODE: Final = re.compile(
    r"(?i:\b(?:booking|confirmation|reservation|record locator|reference|ref|pnr|buchung(?:snummer"
    r"|scode)?|bestätigung|réservation|référence|reserva|localizador))"
    r"(?:\s*(?i:no\.?|nr\.?|number|code|n°|#|is|:"
    r"|ref))*[\s:#]*(?P<code>(?=[A-Z0-9-]*\d)[A-Z0-9]{2,}(?:-[A-Z0-9]+)*|[A-Z]{6})\b"
)
_PLACE: Final = r"(?<![\w'-])[A-ZÄÖÜÉÈÁÍÓÚÑ][\w'-]++(?: [A-ZÄÖÜÉÈÁÍÓÚÑ][\w'-]++){0,2}"
_AIRPORT: Final = r"(?: \([A-Z]{3}\))?"
_TIMED: Final = re.compile(
    rf"(?P<a>{_PLACE}){_AIRPORT}[;, ]+\d{{1,2}}:\d{{2}}(?:"
    rf"\s*(?:-|–|—|→|to)\s*(?P<b>{_PLACE}){_AIRPORT}(?:[;, ]+(?P<arr>\d{{1,2}}:\d{{2}}))?"
    rf"|[;, ]+(?P<b2>{_PLACE}){_AIRPORT}[;, ]+(?P<arr2>\d{{1,2}}:\d{{2}}))"
)
_FROM_TO: Final = re.compile(
    rf"\b(?:[Ff]rom|[Vv]on|[Dd]e|[Dd]esde) (?P<a>{_PLACE}){_AIRPORT} (?:to|nach|à|a|hacia) (?P<b>{_PLACE})"
)
_AIRPORTS: Final = re.compile(
    r"(?<!\w)(?P<a>[A-Z]{3})(?: ?(?:-|–|—|→|->|/|>) ?| (?:to|nach|à|a) )(?P<b>[A-Z]{3})(?!\w)"
)
_WAY: Final = re.compile(rf"(?P<a>{_PLACE}){_AIRPORT} (?:to|nach|à|–|—|-|→|->) (?P<b>{_PLACE})")
_ARRIVES: Final = re.compile(
    r"\b(?:arriv\w+|arr|lands?|landing|ankunft|an|arrivee|llegada|llega)\b\.?:?(?: at| um| a"
    r"| a las)? ?(?P<arr>\d{1,2}:\d{2})"
)
_BACK: Final = re.compile(r"\b(?:back|return(?:s|ing)?|zuruck|ruckflug|ruckfahrt|retour|vuelta|regreso)\b")
_FROM: Final = re.compile(rf"\b(?:from|von|depuis|desde) (?P<a>{_PLACE})")
_TO: Final = re.compile(rf"\b(?:to|nach|for|à|a|para|pour) (?P<b>{_PLACE})")
_IN: Final = re.compile(rf"\b(?:in|en|à|near) (?P<p>{_PLACE})")
_SMALL_IN: Final = re.compile(
    r"\b(?:airbnb|hotel|hostel|apartment|flat|cottage|room|unterkunft|ferienwohnung|gite|piso|hostal) (?:in|en|a)"
    r" (?P<p>(?!the |my |our |a |town|der |die |la |el )[a-z][\w-]{2,20})\b"
)
"""Where somebody sleeps, without capitals."""
_HOTEL: Final = re.compile(
    rf"\b(?P<name>(?:[Hh]otel|[Hh]ostel|[Hh]ôtel|Pension|Airbnb|Gasthof|Pensión) (?:(?:de la|du|des?|del?|zum|zur|am|le|la|les|los|el) |d')?{_PLACE}"
    rf"|(?!Check|The |Our ){_PLACE} (?:Hotel|Hostel|Inn|Resort))(?=\b)"
)
_HOP: Final = re.compile(r"(?<![\w-])(?P<a>[^\W\d_]{3,20}) ?(?:-|–|—|→|->|>) ?(?P<b>[^\W\d_]{3,20})(?![\w-])")
_NO_PLACE: Final = words("check e wi self half")
_THEN: Final = re.compile(r"\b(?:then|and then|dann|danach|weiter|puis|ensuite|luego|despues|then on)\b")
_ONWARD: Final = re.compile(rf"\b(?:a|à|to|nach|para|pour|vers) (?P<b>{_PLACE})")
_HOUR: Final = re.compile(
    r"(?<![\d.,:/-])(?P<h>[01]?\d|2[0-3])[.:h](?P<min>[0-5]\d)(?![\d.:]|,\d| ?(?:€|eur|£|usd|chf|kg|km|[ap]\.?m\b))"
)
_QUARTER: Final = re.compile(r"\b(?P<h>[7-9]|1[0-2]) y (?P<part>cuarto|media)\b")
_HOTEL_PLACE: Final = re.compile(rf"(?:Hotel|Hostel|Hôtel|Pension|Pensión) {_PLACE},\s*(?P<p>{_PLACE})")


@dataclass(frozen=True, slots=True)
class Leg:
    """One ride of a journey, as far as `said`, its part of the sentence, names it.

    `code` is empty without a number.
    """

    mode: str
    code: str
    origin: str | None
    destination: str | None
    said: Sentence
    arrives: str | None = None
    back: bool = False


def legs(sentence: Sentence) -> tuple[Leg, ...]:
    """Return the flights and trains that the sentence names, each with its route."""
    return sentence.once(_legs)


def _legs(sentence: Sentence) -> tuple[Leg, ...]:
    found = _numbers(sentence.text)
    if found:
        parts = _parts(sentence, [start for _, _, start in found])
        return tuple(_leg(mode, code, part) for (mode, code, _), part in zip(found, parts, strict=True))
    word = _MODE.search(sentence.folded)
    hops = (_hops(sentence) or _then(sentence)) if word else ()
    origin, destination = way_of(sentence)
    if not word or not (origin or destination or hops):
        return ()
    mode = "train" if word.group() in _RAIL else "bus" if word.group() in ("bus", "coach") else "flight"
    if hops:
        return tuple(Leg(mode, "", start, end, part, _arrival(part)) for start, end, part in hops)
    return (Leg(mode, "", origin, destination, sentence, _arrival(sentence)),)


def _hops(sentence: Sentence) -> tuple[tuple[str | None, str, Sentence], ...]:
    """Return the routes of a journey written with dashes, each with its part.

    For example "brussels-lisbon 7.05 then lisbon-accra 11.40".
    """
    found = [match for match in _HOP.finditer(sentence.text) if fold(match["a"]) not in _NO_PLACE]
    cuts = [match.end() for match in _THEN.finditer(sentence.folded)]
    if len(found) < 2 and not (found and sentence.text[found[0].start()].islower()):
        return ()
    between = [[cut for cut in cuts if one.end() <= cut <= two.start()] for one, two in pairwise(found)]
    starts = [
        0,
        *(cut[0] if cut else two.start() for cut, (_, two) in zip(between, pairwise(found), strict=True)),
    ]
    ends = [*starts[1:], len(sentence.text)]
    return tuple(
        (
            _opened(way["a"]),
            _opened(way["b"]),
            Sentence(sentence.text[first:last], sentence.today, sentence.line),
        )
        for way, first, last in zip(found, starts, ends, strict=True)
    )


def _then(sentence: Sentence) -> tuple[tuple[str | None, str, Sentence], ...]:
    """Return routes told in sequence: "to Madrid 6:40 and then to Tenerife 10:15"."""
    cuts = [0, *(match.start() for match in _THEN.finditer(sentence.folded)), len(sentence.text)]
    parts = [Sentence(sentence.text[a:b], sentence.today, sentence.line) for a, b in pairwise(cuts)]
    places = [_TO.search(part.text) or _SMALL_TO.search(part.text) for part in parts]
    if len(parts) < 2 or not all(
        place and _HOUR.search(part.text) for place, part in zip(places, parts, strict=True)
    ):
        return ()
    ends = [place["b"] for place in places if place]
    return tuple(zip([way_of(parts[0])[0], *ends], ends, parts, strict=False))


def _opened(place: str) -> str:
    return place[0].upper() + place[1:]


def onward(sentence: Sentence, before: Leg) -> Leg | None:
    """Return the ride on from where `before` ends, by a place and an hour: "then to Tenerife 10:15"."""
    place = _TO.search(sentence.text) or _ONWARD.search(sentence.text)
    if (
        not place
        or not before.destination
        or sentence.days
        or _numbers(sentence.text)
        or not _HOUR.search(sentence.text)
    ):
        return None
    return Leg(before.mode, "", before.destination, place["b"], sentence)


def hour_of(part: Sentence) -> time | None:
    """Return the hour of a ride as in timetables: "12.25", "9 y cuarto".

    None if its part names none or two.
    """
    found = {(int(match["h"]), int(match["min"])) for match in _HOUR.finditer(part.text)}
    if len(found) == 1:
        return time(*found.pop())
    quarter = _QUARTER.search(part.folded)
    return (
        time(int(quarter["h"]), {"cuarto": 15, "media": 30}[quarter["part"]])
        if quarter and not found
        else None
    )


def way_back(sentence: Sentence, out: Leg) -> Leg | None:
    """Return the ride home after `out`, of a clause that names its day: "back on 6 May"."""
    if not (sentence.days and sentence.has(_BACK) and out.destination) or _numbers(sentence.text):
        return None
    return Leg(out.mode, "", out.destination, out.origin, sentence, back=True)


def way_of(part: Sentence) -> tuple[str | None, str | None]:
    """Return the origin and the destination; None for what is not stated."""
    text = _places_alone(part)
    timed = _TIMED.search(text)
    if timed:
        return _without_mode(timed["a"]), timed["b"] or timed["b2"]
    for pattern in (_AIRPORTS, _FROM_TO, _WAY):
        match = pattern.search(text)
        if match:
            return _without_mode(match["a"]), match["b"]
    start, end = _FROM.search(text), _TO.search(text) or _SMALL_TO.search(text)
    return (start["a"] if start else None), (end["b"] if end else None)


def _numbers(text: str) -> list[tuple[str, str, int]]:
    """Return mode, number and place of each ride, in the order of the text, each number once."""
    found = [
        ("flight", f"{match['carrier']}{match['number']}", match.start())
        for match in _FLIGHT.finditer(text)
        if match["carrier"] not in _NO_CARRIER and _TRAIN.match(text, match.start()) is None
    ]
    found += [("train", match["train"], match.start()) for match in _TRAIN.finditer(text)]
    first: dict[str, tuple[str, str, int]] = {}
    for item in sorted(found, key=lambda item: item[2]):
        first.setdefault(item[1], item)
    return list(first.values())


def _parts(sentence: Sentence, starts: list[int]) -> list[Sentence]:
    """Return each number's part of the sentence, from its day on if days precede the numbers."""
    if len(starts) == 1:
        return [sentence]
    days_first = bool(sentence.days) and sentence.days[0].start < starts[0]
    cuts = [0]
    for before, start in pairwise(starts):
        between = [day.start for day in sentence.days if before < day.start < start]
        cuts.append(between[-1] if days_first and between else start)
    ends = [*cuts[1:], len(sentence.text)]
    return [
        Sentence(sentence.text[first:last], sentence.today, sentence.line)
        for first, last in zip(cuts, ends, strict=True)
    ]


def _leg(mode: str, code: str, part: Sentence) -> Leg:
    origin, destination = way_of(part)
    return Leg(mode, code, origin, destination, part, _arrival(part))


def _arrival(part: Sentence) -> str | None:
    timed = _TIMED.search(_places_alone(part))
    if timed:
        return timed["arr"] or timed["arr2"]
    said = _ARRIVES.search(part.folded)
    return said["arr"] if said else None


def booking_code(text: str) -> str | None:
    """Return the code of a booking or confirmation."""
    match = _CODE.search(text)
    return match["code"] if match else None


def stay_name(text: str) -> str | None:
    """Return the name of a hotel."""
    match = _HOTEL.search(text)
    return match["name"] if match else None


def place_after(text: str) -> str | None:
    """Return the town after "in" or "to", or in the hotel's name."""
    for pattern, group in ((_HOTEL_PLACE, "p"), (_IN, "p"), (_TO, "b"), (_SMALL_IN, "p")):
        match = pattern.search(text)
        if match:
            return _opened(match[group])
    return None


_ARTICLES: Final = frozenset(
    {"der", "die", "das", "the", "le", "la", "el", "mein", "meine", "unser", "my", "our"}
)


def _without_mode(place: str) -> str | None:
    """Return the place without the word for the ride before it: "Train Vienna to Paris"."""
    words = place.split()
    led = words[1:] if fold(words[0]) in _ARTICLES else words
    bare = led[1:] if led and _MODE.fullmatch(fold(led[0])) else words
    return " ".join(bare) or None


def _places_alone(part: Sentence) -> str:
    """Return the text without days and numbers, which look like parts of a place's name."""
    text = part.text
    for day in part.days:
        text = f"{text[: day.start]}{';' * (day.end - day.start)}{text[day.end :]}"
    for pattern in (_FLIGHT, _TRAIN):
        text = pattern.sub(lambda match: ";" * len(match.group()), text)
    return text
