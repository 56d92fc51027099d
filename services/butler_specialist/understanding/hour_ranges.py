# ruff: noqa: E501 - patterns stay on one line
"""Ranges of hours: "from 5 to 6.30", "zwischen 8 und 10", "de 14h à 16h", "5-6pm" (pure).

Also with a spoken part: "de 5 a 6 y media".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from butler_kit.wording.folding import one_of
from butler_specialist.understanding.calendar_words import HOURS

__all__ = ["HourRange", "hour_ranges"]


@dataclass(frozen=True, slots=True)
class HourRange:
    """The first and the last hour as written; `half` is am or pm if one of them says it ("5-6pm")."""

    hour: int
    minute: int
    last: int
    start: int
    end: int
    half: str | None = None
    clock: bool = False
    """Whether it is written on a 24-hour clock."""
    last_minute: int = 0


_WORD: Final = one_of(HOURS)


def _end(number: int) -> str:
    return (
        rf"(?:(?P<h{number}>[01]?\d|2[0-3])|(?P<w{number}>{_WORD}))(?:(?::|\.|h| uhr )(?P<m{number}>[0-5]\d)(?!\d))?"
        rf"(?P<half{number}> y media| et demie?)?(?:(?P<unit{number}> ?(?:h|uhr|heures?|horas?))\b)?"
        rf"(?: ?(?P<ap{number}>[ap])\.?m\b)?"
    )


_FOLLOWS: Final = (
    r"(?=\s*(?:$|[,;!?)\n]|\.(?!\d))|\s+(?:on|at|in|with|for|and|every|this|next|today|tomorrow|am|im|mit|bei|beim|und|heute"
    r"|morgen|jeden|kommt|ist|avec|chez|a|au|et|le|con|en|el|los|de la|du|of|der|die|das|we|i|wir|ich|on|nous|auf|zu|zum|zur|nach|bin|sind|war|is|are|pour|sur|para|por|un|una|une)\b)"
)
_LED: Final = re.compile(
    rf"\b(?:from|between|von|zwischen|ab|de|entre|des|desde)(?: las?)? {_end(1)}"
    rf" ?(?:to|till|til|until|and|-|bis|und|a|et|y|hasta)(?: las?)? ?{_end(2)}(?(unit2)|{_FOLLOWS})"
)
_BARE: Final = re.compile(rf"(?<![\w.,:/-]){_end(1)} ?- ?{_end(2)}(?![\w/-])(?![.,:]\d)")
_TO: Final = re.compile(rf"(?<![\w.,:/-]){_end(1)} (?:to|till|until) {_end(2)}(?![\w/-])(?![.,:]\d)")
"""A range without a leading word, recognised only by am or pm after it: "5 to 6.30pm"."""
_MARKED: Final = ("ap2", "unit2", "m2")
_OF_SOMETHING_ELSE: Final = re.compile(
    r"[€$£%°]|\b(?:eur|euros?|usd|gbp|kg|km|kilos?|mg|ml|cm|grad|degrees|went|rose|fell|score[ds]?|points?|pages?|seiten"
    r"|mov(?:e|ed|ing)|shift(?:ed)?|push(?:ed)?|verschieb\w*+|verschoben|verleg\w*+|decale\w*+|deplace\w*+|reporte\w*+|mueve|mover"
    r"|cambia\w*+|(?<!subject to )changed?)\b"
)
"""Contexts where two numbers are no hours, or the first no longer holds."""


def hour_ranges(folded: str) -> Iterator[HourRange]:
    """Yield each range of the folded text."""
    if _OF_SOMETHING_ELSE.search(folded):
        return
    for match in _LED.finditer(folded):
        yield _range(match)
    for match in _TO.finditer(folded):
        if match["ap2"]:
            yield _range(match)
    for match in _BARE.finditer(folded):
        if any(match[name] for name in _MARKED[:2]) or (match["m1"] and match["m2"]):
            yield _range(match)


def _range(match: re.Match[str]) -> HourRange:
    hour, last = (int(match[f"h{n}"] or HOURS[match[f"w{n}"]]) for n in (1, 2))
    minute = int(match["m1"] or (30 if match["half1"] else 0))
    half = match["ap1"] or _half_before(match["ap2"], hour, last)
    clock = max(hour, last) > 12 or (match["h1"] or "").startswith("0") or _is_a_clock(match)
    last_minute = int(match["m2"] or (30 if match["half2"] else 0))
    return HourRange(
        hour, minute, last, match.start(), match.end(), half, clock and half is None, last_minute
    )


def _is_a_clock(match: re.Match[str]) -> bool:
    return bool(match["unit1"] or match["unit2"]) and int(match["h1"] or 0) >= 7


def _half_before(half: str | None, hour: int, last: int) -> str | None:
    """Return am or pm of the first hour, if only the last says its own: "11-1pm" begins in the morning."""
    return "a" if half == "p" and last % 12 < hour % 12 else half
