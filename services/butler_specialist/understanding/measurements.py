# ruff: noqa: E501 - patterns stay on one line
"""Measurements of a person, and medication doses (pure). English, German, French and Spanish words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from butler_kit.tellings.sorts import share_of, sorts_of, tells
from butler_kit.wording.folding import fold, words
from butler_kit.wording.medicines import MEDICINE_NAME
from butler_specialist.understanding.calendar_words import MONTHS, RELATIVE_DAYS, WEEKDAYS
from butler_specialist.understanding.kept import kept
from butler_specialist.understanding.money import number_of
from butler_specialist.understanding.recurrence import is_recurrence, recurrence_in
from butler_specialist.understanding.spoken_values import spoken_values

__all__ = ["Dose", "Measurement", "find_doses", "find_measurements"]


@dataclass(frozen=True, slots=True)
class Measurement:
    """A value with its unit; `second` is the diastolic pressure.

    `start` and `end` are its place in the text.
    """

    kind: str
    value: Decimal
    unit: str
    start: int
    end: int
    second: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Dose:
    """How much of a medication, how often."""

    amount: Decimal
    unit: str
    medication: str | None
    frequency: str | None
    start: int
    end: int


_DIGIT: Final = re.compile(r"\d")
"""Without a digit, only values in words are found."""
_N: Final = r"(?P<v>\d{1,3}(?:[.,]\d{1,2})?)"
_PRESSURE_WORD: Final = (
    r"(?:blood pressure|bp|blutdruck|tension(?: arterielle| arterial)?"
    r"|pression(?: arterielle)?|presion(?: arterial)?)"
)
_PRESSURE: Final = re.compile(
    rf"\b{_PRESSURE_WORD}\b[^\d\n]{{0,40}}?(?P<v>\d{{2,3}}) ?(?:/|over|zu|sur|sobre"
    rf"|a) ?(?P<s>\d{{2,3}})(?:[^\w\d]{{0,2}}mm ?hg)?(?![\d/])"
    r"|(?<![\d/])(?P<v2>\d{2,3}) ?/ ?(?P<s2>\d{2,3}) ?mm ?hg\b"
)
_NO_DIFFERENCE: Final = (
    r"(?! (?:less|more|lighter|heavier|too (?:much|many|little)|over|under|down|up|weniger|mehr|leichter|schwerer|zu viel|zu wenig|abgenommen|zugenommen"
    r"|de moins|de plus|en moins|en plus|de trop|menos|mas|de mas|de menos)\b)"
)
_WEIGHT: Final = re.compile(
    r"\b(?:weight|weigh(?:ed|s|ing)?|gewicht|wiege|wiegt|wog|peso|peses?|pese|pesa|poids|je pese)\b[^\d\n]{0,40}?"
    rf"{_N} ?(?P<u>kg|kilos?|kilogramm?|lbs?|pounds)\b{_NO_DIFFERENCE}"
    rf"|(?<![\w.,]){_N.replace('<v>', '<v2>')} ?(?P<u2>kg|lbs)\b(?=[^.\n]{{0,30}}\b(?:weight|gewicht"
    rf"|poids|peso)\b)"
)
_WEIGHT_ALONE: Final = re.compile(
    r"\b(?:weight|weighed(?: in)?(?: at)?|i weigh|gewicht|ich wiege|poids|je pese|peso)"
    rf"(?: (?:is|was|now|today|this morning|ist|heute|jetzt|est|es|hoy))*:? {_N}"
    r"(?![.,]?\d)(?=\s*(?:[,;!?)\n]|\.(?!\d)|$|(?:today|this|now|on|at|heute|am|ce|hoy|and|und|et|y)\b))"
)
"""A weight without a unit, which only an earlier weight tells."""
_PULSE: Final = re.compile(
    r"\b(?:pulse|puls|heart rate|herzfrequenz|pouls|pulso|frequence cardiaque"
    r"|frecuencia cardiaca)\b[^\d\n]{0,25}?"
    r"(?P<v>\d{2,3})(?![\d/.,]\d|\d)(?: ?(?:bpm|/min))?|(?<![\w.,/])(?P<v2>\d{2,3}) ?bpm\b"
)
_TEMPERATURE: Final = re.compile(
    r"\b(?:temperature|temperatur|temperatura|temp|fever|fieber|fievre|fiebre)\b[^\d\n]{0,30}?"
    rf"{_N} ?(?P<u>°? ?[cf]\b|°|grad\b|degrees?\b|degres?\b|grados?\b)?(?! ?(?:/|kg|mg|ml))"
    r"|(?<![\w.,])(?P<v2>3[4-9](?:[.,]\d)|4[0-3](?:[.,]\d)) ?(?P<u2>° ?c?)(?=[^.\n]{0,30}\b(?:fever"
    r"|fieber|fievre|fiebre)\b)"
)
_GLUCOSE: Final = re.compile(
    r"\b(?:glucose|blood sugar|sugar level|blutzucker|glycemie|glucemia|glucosa|azucar)\b[^\d\n]{0,30}?"
    rf"{_N}(?: ?(?P<u>mg ?/ ?dl|mmol(?: ?/ ?l)?))?"
)
_HEIGHT: Final = re.compile(
    r"\b(?:height|tall|grosse|koerpergrosse|taille"
    r"|estatura)\b[^\d\n]{0,25}?(?P<v>\d{2,3}(?:[.,]\d)?) ?(?P<u>cm)\b"
    r"|(?<![\w.,/])(?P<v2>\d{2,3}(?:[.,]\d)?) ?(?P<u2>cm) (?:tall|gross|de haut|de taille|de alto|de alta|de estatura)\b"
)

_DOSE: Final = re.compile(
    r"(?<![\w.,/])(?P<v>\d{1,4}(?:[.,]\d{1,3})?) ?(?P<u>mg|mcg|µg|ug|ml|iu|ie|units?|drops|tropfen"
    r"|gouttes|gotas|tablets?|tabletten?"
    r"|pills?|comprimes?|comprimidos?|pastillas?|capsules?|kapseln?|puffs?)\b(?! ?/)"
)
_NAME_AFTER: Final = re.compile(r"\s*(?:of|von|de|d'|du)?\s*(?P<name>[a-z][a-z-]{3,30})")
_NAME_BEFORE: Final = re.compile(
    r"(?P<name>[a-z][a-z-]{3,30})(?: (?:saft|syrup|sirop|jarabe|gegeben|bekommen|gave|given|donne|donnee))*+"
    r"\s*[:,(]?\s*$"
)
_NO_MEDICATION: Final = frozenset({*WEEKDAYS, *MONTHS, *" ".join(RELATIVE_DAYS).split()}) | words(
    "this that today morning evening twice once daily took take taken taking started stopped every with"
    " after before"
    " each heute morgen abend taglich tagen genommen nehme jeden zweimal einmal nach vor matin soir jour"
    " fois pris apres"
    " avant manana noche dias tomado veces antes despues weight gewicht poids peso dose dosis until"
    " medication medicine"
    " medikament medicament medicamento tablet tablets night have been with"
    " gegen fur for contre contra pour para wegen against"
    " gave give given gegeben gabe gab bekommen bekam donne donnee dado dada saft syrup sirop jarabe nehmen muss"
)
_BARE_DOSE: Final = re.compile(
    rf"(?<![\w-])(?P<name>{MEDICINE_NAME}) (?:(?:de|a|of|mit|zu) )?(?P<v>\d{{1,4}}(?:[.,]\d{{1,2}})?)"
    r"(?![\w:/]|[.,]\d| ?(?:%|€|eur|euros?|mg|mcg|ug|ml|g|ie|iu|units?|drops|tropfen|gouttes|gotas|tabl\w*|pills?|puffs?|comprim\w*|pastill\w*|capsul\w*|kapseln?"
    r"|x|times|mal|fois|veces|uhr|h|hours?|stunden|days?|tage|jours|dias|packs?|packung\w*|boxes|am|pm)\b)"
)
"""A medicine with a number and no unit, as on its packet."""
_VALUE: Final = ("value_me", "value_other")
_MOSTLY: Final = 0.6
_OF_NO_BODY: Final = re.compile(
    r"\b(?:dead ?lift\w*|bench\w*|squats?|press(?:ed)?|curls?|lift\w*|reps?|kettlebell|dumbbells?|hantel\w*|bankdrucken|kniebeugen?|kreuzheben|pesas|souleve\w*"
    r"|parcel|package|paket|pakete?|suitcase|luggage|koffer|gepack|maleta|valise|flour|mehl|farine|harina|bed|bett|matratze|mattress|lit|cama|bag|sack|sac|saco"
    r"|lost|gained|put on|lighter|heavier|perdu|pris|verloren|zugenommen|abgenommen|perdido|engordado|adelgazado|grown|more|less)\b"
)
"""Weights of no body: things lifted, sent, carried or slept in, and what was lost or gained."""
_BARE_PRESSURE: Final = re.compile(
    r"(?<![\w.,:/])(?P<v>\d{2,3}) ?(?:/|over|zu|sur|sobre) ?(?P<s>\d{2,3})"
    r"(?![\w:/]|[.,]\d| ?(?:km|kg|cm|m|min\w*|hours?|stunden|eur\w*|€|%|points?|punkte)\b)"
)
_BARE_WEIGHT: Final = re.compile(
    rf"(?<![\w.,:/])(?P<v>[1-9]\d{{0,2}}(?:[.,]\d{{1,2}})?) ?(?:kg|kilos?)\b{_NO_DIFFERENCE}"
)
_BARE_SUGAR: Final = re.compile(
    r"\b(?:zucker|sugar|azucar|glycemie|sucre)\b[^\d\n]{0,30}?(?P<v>[4-9]\d|[1-4]\d\d)(?![\w:/]|[.,]\d| ?(?:g|kg|ml|mg)\b)"
)
_BARE: Final = (
    ("blood_pressure", "mmHg", _BARE_PRESSURE),
    ("weight", "kg", _BARE_WEIGHT),
    ("glucose", "mg/dl", _BARE_SUGAR),
)
_UNIT_NAMES: Final = {
    "c": "°C",
    "f": "°F",
    "kilo": "kg",
    "kilos": "kg",
    "kilogram": "kg",
    "kilogramm": "kg",
    "lb": "lb",
    "lbs": "lb",
    "pounds": "lb",
}


@kept
def find_measurements(text: str) -> tuple[Measurement, ...]:
    """Return all measurements in the order of the text; values that no living person has are left out."""
    folded = fold(text)
    found = [*_pressures(folded), *_others(folded)] if _DIGIT.search(folded) else []
    for said in spoken_values(folded):
        spoken = Measurement(said.kind, said.value, said.unit, said.start, said.end, said.second)
        same = [one for one in found if one.start < said.end and said.start < one.end]
        if not same or (
            spoken.value != int(spoken.value) and all(one.value == int(spoken.value) for one in same)
        ):
            found = [*(one for one in found if one not in same), spoken]
    found = found or list(_likely(folded, text))
    return tuple(sorted(found, key=lambda item: item.start))


def _likely(folded: str, text: str) -> Iterator[Measurement]:
    """Yield values without a name if the whole clause is one: "ohne Schuhe 92,9 kg", "now 131 over 84"."""
    bare = [(kind, unit, match) for kind, unit, pattern in _BARE for match in pattern.finditer(folded)]
    if not bare or _OF_NO_BODY.search(folded) or share_of(sorts_of(text), _VALUE) < _MOSTLY:
        return
    for kind, unit, match in bare:
        if kind == "weight" and not any(tells(sort, text, _MOSTLY) for sort in _VALUE):
            continue
        value = number_of(match["v"])
        low = Decimal(match["s"]) if kind == "blood_pressure" else None
        if low is None or _may_be_pressure(value, low):
            yield Measurement(kind, value, unit, match.start(), match.end(), low)


def _may_be_pressure(high: Decimal, low: Decimal) -> bool:
    return 70 <= high <= 260 and 35 <= low <= 160 and high - low >= 15


@kept
def find_doses(text: str) -> tuple[Dose, ...]:
    """Return all doses, with the medication named next to them."""
    folded = fold(text)
    if not _DIGIT.search(folded):
        return ()
    frequency = recurrence_in(folded)
    return tuple(
        Dose(
            amount=number_of(match["v"]),
            unit=match["u"],
            medication=_medication(text, folded, match),
            frequency=text[frequency.start : frequency.end] if frequency else None,
            start=match.start(),
            end=match.end(),
        )
        for match in _DOSE.finditer(folded)
    ) + tuple(
        Dose(
            amount=number_of(match["v"]),
            unit="",
            medication=text[match.start("name") : match.end("name")],
            frequency=text[frequency.start : frequency.end] if frequency else None,
            start=match.start(),
            end=match.end(),
        )
        for match in _BARE_DOSE.finditer(folded)
    )


def _medication(text: str, folded: str, match: re.Match[str]) -> str | None:
    start = max(0, match.start() - 40)
    after = _NAME_AFTER.match(folded, match.end())
    before = _NAME_BEFORE.search(folded[start : match.start()])
    places = [after.span("name")] if after else []
    places += [(start + before.start("name"), start + before.end("name"))] if before else []
    return next((text[a:b] for a, b in places if _may_be_a_medication(folded, a, b)), None)


_FOR_WHOM: Final = re.compile(r"\b(?:for|fur|pour|para)\s$")
"""Words before the recipient: "paracetamol for Mila 5 ml"."""


def _may_be_a_medication(folded: str, start: int, end: int) -> bool:
    if _FOR_WHOM.search(folded[max(0, start - 6) : start]):
        return False
    return folded[start:end] not in _NO_MEDICATION and not is_recurrence(folded, start, end)


def _pressures(folded: str) -> Iterator[Measurement]:
    for match in _PRESSURE.finditer(folded):
        high = Decimal(match["v"] or match["v2"])
        low = Decimal(match["s"] or match["s2"])
        if 50 <= high <= 300 and 20 <= low < high:
            yield Measurement("blood_pressure", high, "mmHg", match.start(), match.end(), low)


def _others(folded: str) -> Iterator[Measurement]:
    limits: tuple[tuple[str, re.Pattern[str], str, int, int], ...] = (
        ("weight", _WEIGHT, "kg", 1, 700),
        ("weight", _WEIGHT_ALONE, "", 2, 500),
        ("pulse", _PULSE, "bpm", 20, 300),
        ("temperature", _TEMPERATURE, "°C", 30, 115),
        ("glucose", _GLUCOSE, "", 1, 999),
        ("height", _HEIGHT, "cm", 30, 260),
    )
    for kind, pattern, unit, least, most in limits:
        for match in pattern.finditer(folded):
            groups = match.groupdict()
            value = number_of(groups["v"] or groups.get("v2") or "0")
            if least <= value <= most:
                written = (groups.get("u") or groups.get("u2") or "").strip("° ").replace(" ", "")
                yield Measurement(kind, value, _unit(kind, written, value, unit), match.start(), match.end())


def _unit(kind: str, written: str, value: Decimal, default: str) -> str:
    if kind == "glucose":
        spelt = {"mg/dl": "mg/dl", "mmol": "mmol/l", "mmol/l": "mmol/l"}
        return spelt.get(written) or ("mmol/l" if value < 30 else "mg/dl")
    if kind == "temperature" and not written:
        return "°C" if value < 50 else "°F"
    return _UNIT_NAMES.get(written, written if written in ("kg", "cm") else default)
