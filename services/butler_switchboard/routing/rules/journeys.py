# ruff: noqa: E501 - patterns stay on one line
"""Questions that only the records of journeys can answer, in four languages (pure): evidence for travel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from butler_switchboard.routing.explanation import Evidence

__all__ = ["asked_of_a_journey"]

_ASKED: Final = re.compile(
    r"\b(?:when (?:am i|are we|do (?:i|we) (?:get|come|fly)|will we be) (?:back|home)|wann (?:sind wir|bin ich|kommen wir|fliegen wir) (?:wieder )?(?:zur[üu]ck|heim|zuhause)"
    r"|wann geht(?:'?s| es) los|(?:bis wann|wie lange?) (?:sind|bleiben) wir (?:in|an|am|auf)\b|(?:how long|how many nights|till when|until when) (?:are|do|will) we\b|wann fahren wir (?:heim|zur[üu]ck|los)|jusqu'?(?:[àa] )?quand (?:on est|est-on|sommes-nous)|(?:hasta cu[áa]ndo|cu[áa]ntas noches) estamos|combien de nuits|wie viele n[äa]chte|(?:on|je|nous) rentr\w+ (?:quand|[àa] quelle heure)|quand (?:est-ce qu'on|rentre|rentrons|revient)[\w -]{0,12}|cu[áa]ndo (?:vuelv\w+|volvemos|regres\w+)"
    r"|(?:booking|confirmation|reservation) (?:code|number|ref\w*)|buchungs(?:nummer|code)|localizador|(?:la )?r[ée]f(?:[ée]rence)? (?:de l'h[ôo]tel|du (?:vol|train))|reference of the (?:hire |rental )?(?:car|hotel)|num[ée]ro (?:du vol|du train|de r[ée]servation)|n[úu]mero (?:del? vuelo|de reserva)|flight number|flugnummer|r[ée]f[ée]rence de (?:l'h[ôo]tel|la r[ée]servation)"
    r"|(?:which|what|my|our|welche[rn]?|mein|unser|quelle|ma|qu[ée]|mi) (?:seat|gate|coach|platform|platz|sitzplatz|gleis|wagen|place|voiture|quai|asiento|coche|and[ée]n)\b"
    r"|(?:when|wann) (?:do|does|are|is|m[üu]ssen|ist) .{0,20}check(?:ing)?[- ]?out)",
    re.IGNORECASE,
)
_WEIGHT: Final = 5.5


def asked_of_a_journey(text: str) -> Iterator[Evidence]:
    """Yield at most one finding."""
    if (found := _ASKED.search(text)) is not None:
        yield Evidence("a question for a journey", found.group(), "travel", _WEIGHT)
