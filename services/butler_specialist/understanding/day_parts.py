# ruff: noqa: E501 - patterns and word lists stay on one line
"""Points of a day with a customary hour: "before bed", "nach dem Mittagessen", "à midi" (pure). EN, DE, FR, ES.

Invariant: the answer states the hour that was set this way, so that such a custom is never silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import time
from typing import Final

__all__ = ["part_in", "part_spans"]

_MEALS: Final = (
    (
        time(7),
        r"before (?:breakfast|work|school)|vor (?:dem fruhstuck|der arbeit|der schule)|early (?:in the )?morning"
        r"|avant (?:le petit[- ]dejeuner|le (?:travail|boulot)|l'ecole)|tot le matin|fruhmorgens"
        r"|antes de(?:l)? (?:desayun(?:o|ar)|trabajo|trabajar|cole(?:gio)?)",
    ),
    (
        time(8),
        r"first thing(?: in the morning)?|(?:at|over|with) breakfast|when (?:i|we) (?:get|wake) up|gleich fruh"
        r"|gleich morgen fruh|als erstes|(?:beim|zum|mit dem) fruhstuck|nach dem aufstehen|a la premiere heure|au reveil"
        r"|des (?:le matin|le reveil|mon reveil)|(?:au|avec le) petit[- ]dejeuner|a primera hora|(?:al|con el) desayun(?:o|ar)"
        r"|al (?:despertar(?:me)?|levantarme)",
    ),
    (
        time(9),
        r"after breakfast|nach dem fruhstuck|apres le petit[- ]dejeuner|despues de(?:l)? desayun(?:o|ar)",
    ),
    (time(10), r"mid[- ]?morning|a media manana"),
    (
        time(11, 30),
        r"before lunch(?: ?time)?|vor dem mittag(?:essen)?|avant (?:le )?dejeuner|avant (?:de )?manger"
        r"|antes de(?: la)? com(?:er|ida)",
    ),
    (
        time(12),
        r"(?:at|over|around|with) lunch|(?:beim|zum|mit dem) mittagessen|a l'heure du dejeuner|avec le dejeuner|a la hora de comer|con la comida",
    ),
    (
        time(14),
        r"after lunch(?: ?time)?|nach dem (?:mittag(?:essen)?|essen)|apres (?:le )?(?:dejeuner|repas|manger)"
        r"|(?:despues de|tras)(?: la)? com(?:er|ida)",
    ),
    (time(16), r"after school|nach der schule|apres l'ecole|despues del cole(?:gio)?"),
    (
        time(18),
        r"before (?:dinner|supper|tea)|vor dem abendessen|avant (?:le )?diner|antes de(?: la)? cena(?:r)?"
        r"|(?:at )?(?:the )?end of (?:the )?day|nach (?:der arbeit|feierabend)|apres le (?:travail|boulot)"
        r"|en fin de journee|despues del trabajo|al salir del trabajo|al final del dia",
    ),
    (
        time(19),
        r"(?:with|at|over) (?:dinner|supper|tea)|(?:beim|zum|mit dem) abendessen|(?:au|avec le) diner|(?:en|con) la cena",
    ),
    (
        time(20),
        r"after (?:dinner|supper|tea)|nach dem abendessen|apres (?:le )?(?:diner|souper)"
        r"|(?:despues de|tras)(?: la)? cena(?:r)?",
    ),
    (
        time(22),
        r"before (?:bed(?: ?time)?|(?:i|we) go to (?:bed|sleep)|going to (?:bed|sleep)|sleep(?:ing)?)"
        r"|(?:at )?bed ?time|late tonight|vor(?:m| dem) (?:schlafen ?gehen|schlafen|zubettgehen|einschlafen)"
        r"|bevor (?:ich|wir) (?:ins bett|schlafen) gehen?|spatabends|avant (?:de dormir|d'aller (?:au lit|dormir"
        r"|(?:me|se|nous) coucher)|de (?:me|se|nous) coucher|le coucher)|au coucher|a l'heure du coucher"
        r"|antes de (?:dormir(?:me)?|acostar(?:me|nos|se)|ir(?:me|nos)? a (?:dormir|la cama))|al acostarme",
    ),
)
_PARTS: Final = (
    (
        time(9),
        r"mornings?|(?<=\bjeden )morgen|am morgen|morgens|fruh|\w*vormittags?|matins?"
        r"|(?:(?:por|de|en) la|esta|cada) manana|(?:por|todas) las mananas",
    ),
    (time(12), r"noon|midday|lunch ?time|mittags?|midis?|mediodia"),
    (time(15), r"afternoons?|\w*nachmittags?|apres-midis?|(?<!\bmas )tardes?"),
    (time(19), r"evenings?|tonight|after work|(?:\w+tag|mittwoch)?abends?|soirs?"),
    (time(21), r"nights?|nachts?|nuits?|noches?"),
    (time(0), r"midnight|mitternacht|minuit|medianoche"),
)


def _any(parts: tuple[tuple[time, str], ...]) -> re.Pattern[str]:
    return re.compile("|".join(rf"(?P<p{number}>\b(?:{words})\b)" for number, (_, words) in enumerate(parts)))


_ANY_MEAL: Final = _any(_MEALS)
_ANY_PART: Final = _any(_PARTS)


def part_in(folded: str) -> time | None:
    """Return the hour of the named part of the day; the narrower one if it stands beside a wider one."""
    for parts, pattern in ((_MEALS, _ANY_MEAL), (_PARTS, _ANY_PART)):
        if found := pattern.search(folded):
            return parts[int((found.lastgroup or "p0")[1:])][0]
    return None


def part_spans(folded: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield where they stand."""
    for pattern in (_ANY_MEAL, _ANY_PART):
        yield from (
            match.span() for match in pattern.finditer(folded, start, len(folded) if end is None else end)
        )
