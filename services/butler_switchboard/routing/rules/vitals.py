# ruff: noqa: E501 - patterns stay on one line
"""Casual statements and questions about bodies, in four languages (pure): evidence for health."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from butler_kit.textmodel.features import fold, tokens
from butler_kit.textmodel.lexicon import classes_of
from butler_kit.wording.medicines import medicine_names
from butler_switchboard.routing.explanation import Evidence

__all__ = ["asked_of_a_body", "told_of_a_body"]

_TOLD: Final[tuple[tuple[re.Pattern[str], float], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), weight)
    for pattern, weight in (
        (r"\b(?:waage|scales|weighed|weighs?|gewogen|wiege|wiegt|p[èe]se|pes[ée]e?|pesado|b[áa]scula|balance)\b.{0,30}?\b\d{2,3}(?:[.,]\d)?\b(?! ?(?:g|€|eur|euros?)\b)|\b\d{2,3}[.,]\d (?:auf (?:der|die) waage|on the scales?|sur la balance|en la b[áa]scula)", 3.0),
        (r"\b(?:baby|beb[ée]|ni[ñn][oa]|petite?|kleine[rn]?|enfant|kind|toddler|sohn|tochter|fils|fille|hij[oa])\b.{0,25}?\b(?:3[6-9]|4[01])(?:[.,]\d| y medio| et demi)", 4.0),
        (r"\b(?:blutzucker|zucker|sugar|az[úu]car|glyc[ée]mie)\b[^\d\n]{0,25}\b(?:\d{3}|\d{1,2}[.,]\d)\b(?! ?(?:g|kg|ml|l|€|eur|euros?)\b)", 4.0),
        (r"\b(?:tension|presi[óo]n|pression)\b.{0,20}?\b\d{1,2} ?/ ?\d{1,2}\b|\b\d{1,2} ?/ ?\d{1,2} de (?:tensi[óo]n|tension)\b", 3.0),
        (r"\b(?:gave|given|took|taken|gegeben|genommen|donn[ée]e?|pris|dado|tomado)\b.{0,40}?\b\d{1,4}(?:[.,]\d)? ?(?:ml|mg|drops|tropfen|gouttes|gotas)\b", 3.0),
        (r"\b(?:takes?|gets?|needs|nehme|nimmt|bekommt|prends?|toma|tomo)\b.{0,40}?\b\d{1,4}(?:[.,]\d)? ?(?:ml|mg|drops|tropfen|gouttes|gotas|tablets?|tabletten|comprim[ée]s?|pastillas?|puffs?)\b", 4.0),
        (r"\b(?:slept|geschlafen|dormi|dormido)\b.{0,25}?(?:\d|hours?|stunden|heures|horas)|\b\d[\d.,' ]{0,8}k? (?:steps|schritte|pasos)\b", 2.5),
        (r"\b(?:wog|pesait|pesaba|weighed)\b.{0,40}?\b\d{1,3}(?:[.,]\d{1,2})? ?(?:kg|kilos?|lbs?)\b|\b\d{1,3} ?(?:kg|kilos?) et \w+ mesure\b|\bpesa \d{1,3}(?:[.,]\d)? ?(?:kg|kilos?)\b", 4.0),
        (r"(?:^|[,;] ?|\b(?:and|und|et|y) )(?:\w+ )?[^\W\d_]{2,20}(?: (?:a|has|hat|is|tiene|had|hatte))?:? (?:3[6-9]|4[01])[.,]\d(?: ?[,;]| (?:and|und|et|y|in|\w+ (?:3[6-9]|4[01])[.,]\d)\b).{0,40}?\b(?:3[5-9]|4[01])[.,]\d\b(?! ?(?:€|eur|kg|km))", 4.0),
        (r"\b(?:fever|fieber|fi[èe]vre|fiebre)\b.{0,30}?\b(?:3[6-9]|4[01])(?:[.,]\d)?\b(?! ?(?:€|eur))", 3.0),
        (r"\b(?:mide|misst|mesure|measure[sd]?|tall)\b.{0,30}?\b[01](?:[.,]| ?m ?)\d{2}\b(?! ?(?:€|eur|m[²2]))", 3.0),
        (r"\b(?:geimpft|vaccin[ée]e?|vaccinated|vacunad[oa])\b", 5.0),
    )
)  # fmt: skip
_COURSE: Final = re.compile(
    r"\b(?:takes?|taking|nehme|nimmt|nehmen|prends?|prendre|tom[ao]|tomar|every|each|daily|times a day|twice|jeden|jede|alle|t[äa]glich|morgens|mittags|abends|nachts|chaque|matin|soir"
    r"|toutes les|tous les|fois par jour|cada|veces al d[íi]a|por la (?:ma[ñn]ana|noche)|stopped|no longer|done with|finished|abgesetzt|fertig|arr[êe]t[ée]|plus|ya no|deja(?:do|r)?|dej[ée])\b",
    re.IGNORECASE,
)
"""Words beside the name of a medicine: how it is taken, or that it no longer is."""
_COURSE_WEIGHT: Final = 4.0
_ASKED: Final = re.compile(
    r"\b(?:(?:do|did|does) (?:i|he|she|\w+) weigh|(?:\w+['’]?s['’]?|my|mein\w*|ma|mi) (?:bp|temp|sugar|pulse)\b|(?:was|wann|wie ?viel) nehm\w* ich|(?:il|elle) a combien\b|how (?:heavy|tall)|wie gro(?:ß|ss) ist [A-ZÄÖÜ]|combien mesure|mide\b|mesure combien|pesait|pesaba|wog\b|wieg ich|losing weight|gewogen|wiege ich|wie schwer|(?:je|il|elle|tu) p[èe]se|pesais|(?:cu[áa]nto|qu[ée]) peso|pes[ao]ba"
    r"|(?:medicines?|medication|meds|pills?|tablets?|medikamente?|tabletten?|m[ée]dicaments?|medicamentos?|pastillas?|jab|flu shot)"
    r"|(?:geimpft|impfung|vaccin\w*|vacun\w*|rappel|booster|tetanus|t[ée]tanos)"
    r"|(?:fever|fieber|fi[èe]vre|fiebre)|blutdruck|blood pressure|tension art\w+|ma tension|(?:sleep|slept|geschlafen|dormi|dormido)\b)",
    re.IGNORECASE,
)
_TALL: Final = re.compile(
    r"\b(?:how tall|wie gro(?:ß|ss)|mesure combien|combien mesure|cu[áa]nto mide)\b", re.IGNORECASE
)
"""Asked of things too, so that the words alone say little."""
_ASKED_WEIGHT: Final = 6.5


def told_of_a_body(text: str) -> Iterator[Evidence]:
    """Yield values, doses and vaccinations that are told without laboratory terms."""
    name = next(medicine_names(fold(text)), None)
    if name is not None and _COURSE.search(text) is not None:
        yield Evidence("how a medicine is taken", name["name"], "health", _COURSE_WEIGHT)
    for pattern, weight in _TOLD:
        if (found := pattern.search(text)) is not None:
            yield Evidence("said of a body", found.group(), "health", weight)


def asked_of_a_body(text: str) -> Iterator[Evidence]:
    """Yield what a question asks that only the records of health can answer."""
    if (found := _ASKED.search(text)) is not None:
        tall = 3.0 if _TALL.search(text) else 0.0
        yield Evidence("a question for a body", found.group(), "health", _ASKED_WEIGHT + tall)
        return
    drug = next((word for word, _ in tokens(text) if "drug" in classes_of(word)), None)
    if drug is not None:
        yield Evidence("a question for a medicine", drug, "health", _ASKED_WEIGHT)
