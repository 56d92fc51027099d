# ruff: noqa: E501 - patterns stay on one line
"""Details of a journey that are asked for: the code, the seat, the gate, the flight number (pure).

Invariant: a value is given with the words in which it was told, and only if it stands in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from butler_specialist.locale import noop, say
from butler_specialist.questions.nothing import Nothing
from butler_specialist.questions.wording import quoted
from butler_specialist.store.model import Record
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.travels import booking_code

__all__ = ["asked_detail", "detail_text"]

_CODE_ALONE: Final = re.compile(
    r"(?i:\b(?:code|reference|référence|réf|ref|nummer|number|localizador|pnr|reserva))\b[^\n;]{0,40}?(?<![\w-])(?P<v>(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{5,8}|[A-Z]{6})\b"
)
_NUMBER: Final = r"(?: ?(?:is|ist|est|es|:|nr\.?|no\.?|number|nummer|to|changed to|numéro|n°))*\W{1,3}"
_DETAILS: Final[tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]] = tuple(
    (re.compile(rf"\b(?:{asked})\b"), re.compile(rf"(?i:\b(?:{told})\b{_NUMBER})(?P<v>{value})(?!\w)"))
    for asked, told, value in (
        ("seats?|platz|sitz\\w*|plazas?|asientos?|ma place|quelle place|sitze?", "seats?|platz|sitzplatz|sitz|place|asiento|plaza", r"\d{1,3}[A-Ka-k]?"),
        ("(?:which|what) coach|carriage|wagen|voiture|coche", "coach|carriage|wagen|voiture|coche", r"\d{1,2}"),
        ("gate|porte|puerta", "gate|flugsteig|porte|puerta", r"(?-i:[A-Z]?\d{1,2}[A-Z]?)"),
        ("platform|gleis|voie|quai|anden|via", "platform|gleis|voie|quai|andén|vía", r"\d{1,2}[a-z]?"),
        ("terminal", "terminal", r"\d{1,2}[A-Z]?"),
    )
)  # fmt: skip
_ASKS_CODE: Final = re.compile(
    r"\b(?:(?:booking|confirmation|reservation) (?:code|number|ref\w*)|reference|booking ref|buchungs\w+|bestatigungs\w+|ref|code|localizador|pnr"
    r"|numero de (?:reserva|reservation))\b"
)
_ASKS_NUMBER: Final = re.compile(
    r"\b(?:(?:flight|train) number|(?:flug|zug)nummer|numero (?:du|de|del) (?:vol|vuelo|train|tren))\b"
)
_FOUND: Final = noop("{value}: {quote}.")
_NOT_FOUND: Final = noop("Nothing that I have noted of your journeys says that.")


def asked_detail(reading: Reading) -> bool:
    """Return whether a detail of a journey is asked for."""
    return any(reading.has(one) for one in (_ASKS_CODE, _ASKS_NUMBER, *(asked for asked, _ in _DETAILS)))


def detail_text(rows: Sequence[Record], reading: Reading) -> str:
    """Return what was told last about it."""
    known = sorted(rows, key=lambda row: row.seq, reverse=True)
    for row in known:
        value = next(iter(_values(row, reading)), None)
        if value is not None:
            quote = quoted(row.text, most=140, language=reading.language)
            return say(reading.language, _FOUND, value=value, quote=quote)
    return Nothing(say(reading.language, _NOT_FOUND), vague=True)


def _values(row: Record, reading: Reading) -> Iterator[str]:
    for asked, told in _DETAILS:
        if reading.has(asked) and (found := told.search(row.text)) is not None:
            yield found["v"]
    if reading.has(_ASKS_NUMBER) and row.code and row.kind in ("flight", "train", "bus"):
        yield row.code
    elif reading.has(_ASKS_CODE):
        code = booking_code(row.text) or ((alone := _CODE_ALONE.search(row.text)) and alone["v"])
        if code:
            yield code
        elif isinstance(key := row.details.get("code"), str):
            yield key
