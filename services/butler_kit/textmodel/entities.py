# ruff: noqa: E501 - patterns, word lists and sample texts stay on one line
"""Find the shapes in a household text that say more than their words: money, flights, measurements, dates.

Pure and linear in the length of the text: every pattern is bounded, so a hostile text cannot make it backtrack.
The same shapes feed the features of the model (as class tokens) and the precise rules (SWB-03.3, SWB-03.4).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["MOST_CHARS", "Entity", "entities"]

_MONTH = (
    r"(?:jan(?:uary|uar|vier)?|feb(?:ruary|ruar|rero)?|f[ée]vrier|mar(?:ch|s|zo)?|m[äa]rz|apr(?:il)?|avril|abril|may|mai|mayo"
    r"|june?|juni|juin|junio|july?|juli|juillet|julio|aug(?:ust|usto)?|ao[uû]t|agosto|sep(?:t|tember|tembre|tiembre)?"
    r"|o[ck]t(?:ober|obre|ubre)?|nov(?:ember|embre|iembre)?|de[cz](?:ember|embre)?|d[ée]cembre|diciembre|enero)"
)
_DAY = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)"
    r"|(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo)"
    r"|today|tomorrow|yesterday|tonight|heute|morgen|gestern|aujourd'hui|demain|hier|hoy|ma[ñn]ana|ayer"
)
_AMOUNT = r"\d{1,3}(?:[.,' ]\d{3}){1,3}(?:[.,]\d{1,2})?|\d{1,9}(?:[.,]\d{1,2})?"
_CURRENCY = r"(?:€|\$|£|¥|eur(?:os?)?|usd|gbp|chf|sek|nok|dkk|pln|jpy|inr|dollars?|bucks|quid|pounds? sterling|francs?|rupees|cents?|k€)"

_PATTERNS: tuple[tuple[str, str], ...] = (
    ("url", r"(?:https?://|www\.)[^\s<>\"]{1,400}"),
    ("mail", r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"),
    ("iban", r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b"),
    (
        "money",
        rf"(?:€|\$|£|¥|(?i:\b(?:eur|usd|gbp|chf))) ?(?:{_AMOUNT})(?: ?[kK]\b)?|\b(?:{_AMOUNT}) ?(?i:{_CURRENCY})(?!\w)",
    ),
    ("pressure", r"(?i:\b\d{2,3} ?(?:/|over|zu) ?\d{2,3}(?: ?mmhg)?\b)(?![/.\d])"),
    ("phone", r"(?<![\w.])\+?\(?\d{2,4}\)?(?:[ /-]\d{2,5}){2,4}\b|\+\d{8,14}\b"),
    (
        "date",
        rf"(?i:\b\d{{4}}-\d{{2}}-\d{{2}}\b|\b\d{{1,2}}[./]\d{{1,2}}[./](?:\d{{4}}|\d{{2}})?(?!\d)|\b\d{{1,2}}(?:st|nd|rd|th|\.)? ?(?:of |de )?{_MONTH}\b(?: \d{{4}})?"
        rf"|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?)",
    ),
    (
        "time",
        r"(?i:\b\d{1,2}[:.h]\d{2}(?: ?[ap]\.?m\b\.?)?(?![\d.])|\b\d{1,2} ?[ap]\.?m\b\.?|\b\d{1,2} (?:uhr|o'clock)\b)",
    ),
    ("dose", r"(?i:\b\d{1,5}(?:[.,]\d{1,3})? ?(?:mg|mcg|µg|iu|ml|tablets?|pills?|drops|puffs?)\b)"),
    (
        "lab",
        r"(?i:\b\d{1,4}(?:[.,]\d{1,2})? ?(?:mmol(?:/l)?|mg/dl|ng/ml|bpm|mmhg|kcal|calories|kalorien|cal)\b)",
    ),
    ("weight", r"(?i:\b\d{1,3}(?:[.,]\d{1,2})? ?(?:kgs?|kilos?|lbs?|pounds?)\b)"),
    ("temperature", r"(?i:\b(?:3[5-9]|4[0-2])[.,]\d ?(?:°? ?c\b|°|degrees|grad)?)"),
    ("flight", r"\b(?:[A-Z]{2}|[A-Z]\d|\d[A-Z]) ?\d{2,4}\b(?! ?(?:%|mg|ml))"),
    ("route", r"\b[A-Z]{3} ?(?:-|–|→|>|to) ?[A-Z]{3}\b"),
    ("pnr", r"\b(?=[A-Z0-9]{6}\b)(?=[A-Z0-9]{0,5}\d)(?=[A-Z0-9]{0,5}[A-Z])[A-Z0-9]{6}\b"),
    (
        "distance",
        r"(?i:\b\d{1,3}(?:[.,]\d)? ?(?:km|k|miles?)\b(?! ?€)|\b\d[\d,.]{0,6} ?(?:steps|schritte)\b)",
    ),
    ("day", rf"(?i:\b(?:{_DAY})\b)"),
    (
        "month",
        r"(?i:\b(?:january|february|april|june|july|august|september|october|november|december|januar|februar|märz|juni|juli|oktober|dezember)\b)",
    ),
    ("number", r"\d[\d.,]{0,20}"),
)
_SCAN = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PATTERNS))


MOST_CHARS = 8_000
"""Characters looked at; the callers cut there, so that they share one scan."""


@dataclass(frozen=True, slots=True)
class Entity:
    """One found shape: its kind, its text and its half-open character range."""

    kind: str
    text: str
    start: int
    end: int


@lru_cache(maxsize=64)
def entities(text: str) -> tuple[Entity, ...]:
    """The shapes of `text` from left to right, without overlaps."""
    return tuple(
        Entity(kind=match.lastgroup, text=match.group(), start=match.start(), end=match.end())
        for match in _SCAN.finditer(text)
        if match.lastgroup is not None
    )
