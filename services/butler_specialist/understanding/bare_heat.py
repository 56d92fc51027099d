# ruff: noqa: E501 - patterns stay on one line
"""A clause with only a body temperature and a time: "and 37.9 now", "heute früh 38,4" (pure).

EN, DE, FR, ES.
"""

from __future__ import annotations

import re
from typing import Final

from butler_specialist.understanding.measurements import Measurement
from butler_specialist.understanding.money import number_of

__all__ = ["bare_heat"]

_BESIDE: Final = (
    r"(?:and|now|still|again|today|tonight|this|morning|evening|afternoon|night|it's|its|is|was|at|down to|up to|just|only|back"
    r"|und|jetzt|noch|wieder|heute|fruh|morgen|mittag|abend|nacht|es|sind|ist|um|uhr|nur|immer"
    r"|et|maintenant|encore|ce|matin|soir|midi|a|est|c'est|plus que"
    r"|y|ahora|otra vez|esta|manana|tarde|noche|hoy|solo|las|\d{1,2}(?:[:h]\d\d|h)?)"
)
_BARE: Final = re.compile(
    rf"\W*(?:{_BESIDE}\W+)*?(?P<v>3[5-9][.,]\d|4[01][.,]\d)(?!\d)(?: ?(?:° ?c?|grad|degrees))?(?:\W+{_BESIDE})*\W*"
)


def bare_heat(folded: str) -> Measurement | None:
    """Return the temperature in °C, at its place; None if the clause says anything else."""
    found = _BARE.fullmatch(folded)
    return found and Measurement("temperature", number_of(found["v"]), "°C", *found.span("v"))
