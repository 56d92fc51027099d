# ruff: noqa: E501 - patterns stay on one line
"""Questions about prices and rates, which nobody here knows beyond the records (pure). EN, DE, FR, ES."""

from __future__ import annotations

import re
from typing import Final

from butler_specialist.locale import noop, say
from butler_specialist.questions.nothing import Nothing
from butler_specialist.understanding.reading import Reading

__all__ = ["asks_price", "asks_rate", "price_text", "rate_text"]

_PRICE: Final = re.compile(
    r"\b(?:do|does|is|are|will|would)\b[^.!?]{1,60}\bcosts?\b|\bhow much (?:is|are) (?!that|it|this|left|the total|due)"
    r"|\b(?:kostet|kosten|wie teuer (?:ist|sind))\b|(?<!\ba )(?<!ai )(?<!ont )\bcoute(?:nt|ra)?\b|\bcuestan?\b|\bcuanto (?:vale|valen)\b"
)
_PAST: Final = re.compile(
    r"\b(?:did|was|were|spent|spend|paid|pay|gekostet|bezahlt|gezahlt|ausgegeben|war|waren|paye|depense|m'a|nous a|etait"
    r"|costo|costaron|gast\w+|pag\w+|ha costado)\b"
)
_RATE: Final = re.compile(
    r"\b(?:exchange rate|conversion rate|wechselkurs|umrechnungskurs|taux de change|tipo de cambio|share price|stock price"
    r"|aktienkurs|bitcoin|interest rate|zinssatz)\b"
    r"|\bhow many (?:euros?|dollars?|pounds?|francs?|yen) (?:to|in|for|is|are|do i get)\b"
    r"|\bwie ?viele? (?:euro|dollar|pfund|franken) (?:sind|ist|bekomme|gibt|kriegt)\b"
    r"|\b(?:combien (?:d'euros|de dollars|de livres)|cuantos (?:euros|dolares)) (?:font|vaut|fait|pour|son|es|vale)\b"
)
_NO_PRICE: Final = noop("I know no prices, only what I was told, and nothing fits that.")
_TOLD: Final = noop("I know no prices, only what I was told: {entries}.")
_NO_RATE: Final = noop("I cannot look up rates; I only know what I was told.")


def asks_price(reading: Reading) -> bool:
    """Return whether it asks what something costs, not what was paid."""
    return reading.has(_PRICE) and not reading.has(_PAST)


def asks_rate(reading: Reading) -> bool:
    """Return whether it asks for a rate that changes daily."""
    return reading.has(_RATE)


def rate_text(reading: Reading) -> str:
    """Say that it cannot be looked up."""
    return say(reading.language, _NO_RATE)


def price_text(entries: str, reading: Reading) -> str:
    """Return what is noted about it, if anything."""
    said = say(reading.language, _TOLD if entries else _NO_PRICE, entries=entries)
    return said if entries else Nothing(said)
