# ruff: noqa: E501 - patterns stay on one line
"""Values as people say them: "baby's got 39.2", "ma tension 12/8", "58 kilos 4", "11k steps" (pure).

For example also "slept five and a half hours". Invariant: a number counts only with a word beside it that says what
it is, and within what a living person can have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from butler_kit.wording.folding import one_of
from butler_specialist.understanding.calendar_words import COUNTS, HOURS
from butler_specialist.understanding.distances import distances

__all__ = ["SpokenValue", "spoken_values"]


@dataclass(frozen=True, slots=True)
class SpokenValue:
    """A value with its unit and its place; an empty unit was not stated."""

    kind: str
    value: Decimal
    unit: str
    start: int
    end: int
    second: Decimal | None = None


_DIGIT: Final = re.compile(r"\d")
"""Without a digit only hours of sleep are found, which people also say in words."""
_N: Final = r"(?P<v>\d{1,3}(?:[.,]\d{1,2})?)"
_NO_UNIT: Final = r"(?![\d/%€$£]|[.,]\d| ?(?:kg|kilos?|km|mg|ml|g|l|cm|eur|euros?|usd|%|€|uhr|h|years?|jahre|ans|anos|pages?|min\w*)\b)"
_FEVER: Final = (
    re.compile(rf"\b(?:fever|fieber|fievre|fiebre|temp\w*+)\W{{1,3}}(?P<v>3[5-9]|4[01]) (?P<tenth>\d){_NO_UNIT}(?! ?\d)"),
    re.compile(r"\b(?P<v>3[5-9](?:[.,]\d)?|4[01](?:[.,]\d)?) ?°? ?(?:de |of )?(?:fieber|fievre|fiebre|fever|temp\w*+)"),
    re.compile(r"\b(?:got|has|had|running|at|hat|hatte|a|avait|tiene|tenia|tuvo) (?:a |up to |a )?(?P<v>3[6-9]|4[01])(?P<half> y medio\b| et demi\b)"),
    re.compile(rf"(?:\b(?:'s got|got|has|had|running|hat|hatte|a|avait|tiene|tenia|tuvo)|'s) (?:a )?(?P<v>3[6-9][.,]\d|4[01][.,]\d){_NO_UNIT}(?=\W*$|\W+(?:again|now|still|this|today|tonight|fever|wieder|jetzt|noch|heute|seit|encore|ce|maintenant|ahora|hoy|otra|de|and|und|et|y)\b)"),
    re.compile(rf"^\W*(?!(?:the|it|this|that|das|es|ca|total|lunch|dinner|bus|taxi|tanken|diesel)\b)[^\W\d_]{{2,20}} (?:was|were|is|was at|is at|war|war bei|ist bei|fait|faisait|est a|etait a|esta a|estaba a) (?P<v>3[6-9][.,]\d|4[01][.,]\d){_NO_UNIT}(?=\W*$|[,;]|\W+(?:again|now|still|this|today|tonight|at|since|wieder|jetzt|noch|heute|seit|um|encore|ce|depuis|maintenant|ahora|hoy|desde|a)\b)"),
)  # fmt: skip
_NAMED: Final = r"(?:(?:mrs?|ms|frau|herrn?|mme|madame|monsieur|sra?|senora?|don|dona|the|my|die|der|das|la|le|el|mi|mein\w*|tante|tata|tia|onkel|tonton|tio|aunt|uncle)\.? )?[^\W\d_]{2,20}"
_HOT: Final = r"(?:3[5-9]|4[01])[.,]\d"
_EACH_HOT: Final = re.compile(
    rf"(?:^|[,;] ?|\b(?:and|und|et|y) |(?<=\d) ){_NAMED}(?: (?:has|hat|a|tiene|is|is at|at|is on|ist bei|est a|esta en|hatte|had|avait|tenia))?:? (?P<v>{_HOT}){_NO_UNIT}(?= ?(?:$|[,;.!°]|and\b|und\b|et\b|y\b|{_NAMED}\b))"
)
_ILL: Final = re.compile(
    r"\b(?:in bed|im bett|au lit|en la cama|gemessen|measured|mesure|medido|ill|sick|krank|malades?|enferm\w+|thermometer|thermometre|termometro|oma|opa|baby|bebe)\b"
)
"""Signs of illness: with one, a single body temperature counts; two with a name each both count anyway."""
_TENSION: Final = r"(?:tension|pression|presion|blutdruck|blood pressure|bp)"
_PRESSURE: Final = (
    re.compile(rf"\b{_TENSION}\b[^\d\n]{{0,40}}?(?P<v>\d{{1,2}}(?:[.,]\d)?) ?(?:/|sur|sobre|a) ?(?P<s>\d{{1,2}}(?:[.,]\d)?)(?![\d/])"),
    re.compile(rf"(?<![\d/.,])(?P<v>\d{{1,2}}) ?(?:/|sur|sobre) ?(?P<s>\d{{1,2}})(?![\d/]) (?:de|d'|von) ?{_TENSION}\b"),
    re.compile(rf"(?<![\d/.,])(?P<v>\d{{2,3}}) ?(?:/|over|zu|sur|sobre) ?(?P<s>\d{{2,3}})(?![\d/]) (?:de |von |of )?{_TENSION}\b"),
    re.compile(r"\b(?:mine|mine's|mine is|mine was|his|hers|is|was|meiner|seiner|ihrer|la mienne|el mio)\W{1,3}(?P<v>1\d\d|2[0-2]\d|[89]\d) ?(?:over|/|zu|sur|sobre) ?(?P<s>[4-9]\d|1[0-2]\d)(?![\d/])"),
)  # fmt: skip
_MEASURED: Final = re.compile(
    r"(?=.*\b(?:puls|pulse|pouls|pulso|gemessen|measured|reading|mesure|medido)\b)[^\d]{0,40}(?P<v>1\d\d|2[0-2]\d|[89]\d) ?(?:over|/|zu|sur|sobre) ?(?P<s>[4-9]\d|1[0-2]\d)(?![\d/])"
)
"""At the beginning of a text that says it was measured."""
_BESIDE_PULSE: Final = re.compile(
    r"(?<![\d/.,])(?P<v>1\d\d|2[0-2]\d|[89]\d) ?(?:/|over|zu|sur|sobre) ?(?P<s>[4-9]\d|1[0-2]\d)(?![\d/])(?=,? (?:and |und |et |y )?(?:pulse?|pouls|pulso)\b)"
)
_TALL: Final = re.compile(
    r"\b(?:tall|height|measure[sd]?|gross|grosse|misst|gemessen|mesure|taille|mide|medido|estatura)\b[^\d\n]{0,40}?(?P<m>[012])(?: ?m ?|[.,])(?P<cm>\d{2})(?: ?(?:m|metres?|meters?|meter|metros?)\b)?(?![\d.,/:]\d| ?(?:eur|€|kg|kilos|l\b|km|h\b))"
    r"|(?<![\w.,:])(?P<m2>[012])(?:m| m |[.,])(?P<cm2>\d{2})(?: m(?:eter|etres?|eters?|etros?)?)? (?:tall|gross|de haut|de alto|de altura)\b"
)
_WEIGHED: Final = r"(?:weighed|weighs?|weigh-?in|scales?|waage|wiegt?|wiege?|wog|gewogen|pese[se]?|pesee?|pesait|pesa|pesaba|peso|pesado|balance|bascula)"
_WEIGHT: Final = (
    re.compile(r"(?<![\w.,])(?P<v>\d{1,3}) ?(?:kilos?|kg) (?P<tenth>\d|\d{3})(?![\w.,:/])"),
    re.compile(r"(?<![\w.,])(?P<v>\d{1,3}) ?(?:kilos?|kg)(?P<half> (?:and a half|y medio|et demie?|und ein halbes))\b(?! (?:of|de)\b| d')"),
    re.compile(r"(?<![\w.,])(?P<v>\d{1,3})(?P<half> and a half| ?einhalb) ?(?:kilos?|kg)\b(?! (?:of|de)\b| d')"),
    re.compile(rf"\b(?:(?:down|up|back) to|i'm at|i'm|bin (?:jetzt )?(?:bei|auf)|waren'?s|waren es|war'?s|estoy en|je suis a) {_N} ?(?P<u>kg|kilos?|lbs?|pounds?)\b"),
    re.compile(rf"\b{_WEIGHED}\b(?: (?:myself|himself|herself|me|mich|today|heute|hoy|this morning|ce matin|only|nur|now|jetzt|say|says|said|zeigt|dit|dice))*[ ,:]{{1,2}}{_N} ?(?P<u>kg|kilos?|lbs?)?{_NO_UNIT}(?![:h])"),
    re.compile(rf"(?<![\w.,]){_N} ?(?P<u>kg|kilos?)?{_NO_UNIT} (?:auf (?:der|die) waage|on the scales?|sur la balance|en la bascula)"),
)  # fmt: skip
_SUGAR: Final = re.compile(
    rf"\b(?P<own>my |mein |mon |mi )?(?:blood sugar|sugars?|zucker|blutzucker|glycemie|azucar)\b(?! (?:and|und|et|y|for|fur)\b)[^\d\n,;]{{0,30}}?{_N}{_NO_UNIT}(?! ?(?:packs?|spoons?|tsp|loffel|pack\w*|stuck|x)\b)(?: ?(?P<u>mg ?/ ?dl|mmol(?: ?/ ?l)?))?"
)
_NUMBER_WORD: Final = one_of({*HOURS, *COUNTS} - {"a", "ein", "un", "una", "une", "eine"})
_HOURS_OF: Final = rf"(?:(?P<v>\d{{1,2}}(?:[.,]\d{{1,2}})?)|(?P<word>{_NUMBER_WORD}))(?P<half> and a half| y media| et demie| einhalb)? ?(?:hours?|hrs?|h|stunden|std|heures?|horas?)(?P<late> and a half| y media| et demie)?(?: ?(?P<min>[0-5]\d))?\b"
_SLEEP: Final = (
    re.compile(rf"\b(?:slept|sleep|dormi|dormido|geschlafen)\b[^\d\n,;]{{0,25}}?\b{_HOURS_OF}"),
    re.compile(rf"\b{_HOURS_OF}(?: lang)? (?:of sleep|sleep|geschlafen|schlaf|de sommeil|de sueno)\b"),
)
_STEPS: Final = re.compile(
    r"(?<![\w.,])(?P<v>\d{1,3}(?:[.,' ]\d{3})|\d{1,6}|\d{1,2}[.,]\d)(?P<k> ?k)? (?:steps|schritte|pas|pasos)\b"
)
_DRUNK: Final = re.compile(
    rf"(?<![\w.,]){_N} ?(?:l|liters?|litres?|litros?)\b[^\d\n]{{0,20}}?\b(?:water|wasser|eau|agua)\b"
)
_LIMITS: Final = {
    "temperature": (34, 43), "weight": (2, 400), "glucose": (2, 600), "height": (0.3, 2.6), "sleep": (0, 24), "steps": (1, 99_999), "water": (0, 12),
}  # fmt: skip


def spoken_values(folded: str) -> Iterator[SpokenValue]:
    """Yield each value of the folded text."""
    if not _DIGIT.search(folded):
        yield from (
            value for pattern in _SLEEP for match in pattern.finditer(folded) for value in _sleep(match)
        )
        return
    for patterns, read in _READERS:
        for pattern in patterns:
            for match in pattern.finditer(folded):
                yield from read(match)
    for code, far, unit, start, end in distances(folded):
        yield SpokenValue(code, far, unit, start, end)
    if (measured := _MEASURED.match(folded)) is not None:
        yield from _pressure(measured)
    hot = list(_EACH_HOT.finditer(folded))
    if len(hot) > 1 or (hot and _ILL.search(folded)):
        yield from (value for match in hot for value in _at_its_number(match))


def _within(kind: str, value: Decimal, unit: str, match: re.Match[str]) -> Iterator[SpokenValue]:
    least, most = _LIMITS[kind]
    if least < value <= most:
        yield SpokenValue(kind, value, unit, match.start(), match.end())


def _at_its_number(match: re.Match[str]) -> Iterator[SpokenValue]:
    """Yield the temperature without the name before it, which says whose it is."""
    yield SpokenValue("temperature", _plain(match["v"]), "°C", match.start("v"), match.end("v"))


def _height(match: re.Match[str]) -> Iterator[SpokenValue]:
    metres = match["m"] or match["m2"]
    yield from _within("height", _plain(f"{metres}.{match['cm'] or match['cm2']}"), "m", match)


def _plain(written: str) -> Decimal:
    return Decimal(written.replace(",", "."))


def _parted(match: re.Match[str]) -> Decimal:
    """Return the value with the fraction after it: "38 5", "58 kilos 4", "3 kilos 200", "38 y medio"."""
    groups = match.groupdict()
    value, part = _plain(match["v"]), groups.get("tenth")
    if part:
        value += Decimal(part) / (1000 if len(part) == 3 else 10)
    return value + Decimal("0.5") if groups.get("half") else value


def _pressure(match: re.Match[str]) -> Iterator[SpokenValue]:
    """Yield the pressure in mmHg; in cmHg if it has two figures, as in French and Spanish."""
    high, low = _plain(match["v"]), _plain(match["s"])
    if 8 <= high <= 25 and 4 <= low <= 15 and low < high:
        yield SpokenValue("blood_pressure", high, "cmHg", match.start(), match.end(), low)
    elif 70 <= high <= 250 and 35 <= low <= 150 and low < high:
        yield SpokenValue("blood_pressure", high, "mmHg", match.start(), match.end(), low)


def _weight_unit(match: re.Match[str]) -> str:
    groups = match.groupdict()
    if groups.get("tenth"):
        return "kg"
    written = groups.get("u") or ""
    return "lb" if written[:1] in ("l", "p") else "kg" if written else ""


def _sugar(match: re.Match[str]) -> Iterator[SpokenValue]:
    value = _plain(match["v"])
    fraction = "." in match["v"] or "," in match["v"]
    if match["u"] or value >= 40 or (fraction and value < 35) or (match["own"] and 2 <= value < 35):
        per_litre = (match["u"] or "").startswith("mmol") or (not match["u"] and value < 35)
        yield from _within("glucose", value, "mmol/l" if per_litre else "mg/dl", match)


def _hours(match: re.Match[str]) -> Decimal:
    groups = match.groupdict()
    value = _plain(match["v"]) if match["v"] else Decimal({**COUNTS, **HOURS}[match["word"]])
    if groups.get("half") or groups.get("late"):
        return value + Decimal("0.5")
    return value + (Decimal(groups["min"]) / 60).quantize(Decimal("0.01")) if groups.get("min") else value


def _steps(match: re.Match[str]) -> Decimal:
    written = match["v"]
    if match["k"]:
        return _plain(written) * 1000
    return Decimal(re.sub(r"\D", "", written))


def _temperature(match: re.Match[str]) -> Iterator[SpokenValue]:
    yield from _within("temperature", _parted(match), "°C", match)


def _weight(match: re.Match[str]) -> Iterator[SpokenValue]:
    yield from _within("weight", _parted(match), _weight_unit(match), match)


def _sleep(match: re.Match[str]) -> Iterator[SpokenValue]:
    yield from _within("sleep", _hours(match), "h", match)


def _walked(match: re.Match[str]) -> Iterator[SpokenValue]:
    yield from _within("steps", _steps(match), "", match)


def _drunk(match: re.Match[str]) -> Iterator[SpokenValue]:
    yield from _within("water", _plain(match["v"]), "l", match)


_READERS: Final[
    tuple[tuple[tuple[re.Pattern[str], ...], Callable[[re.Match[str]], Iterator[SpokenValue]]], ...]
] = (
    (_FEVER, _temperature),
    (_PRESSURE, _pressure),
    (_WEIGHT, _weight),
    (_SLEEP, _sleep),
    ((_STEPS,), _walked),
    ((_DRUNK,), _drunk),
    ((_SUGAR,), _sugar),
    ((_BESIDE_PULSE,), _pressure),
    ((_TALL,), _height),
)
