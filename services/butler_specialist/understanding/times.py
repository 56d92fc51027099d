"""Times of day (pure).

An hour that may be of the morning or of the evening, "at 5", is no time unless the text says which.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time
from typing import Final

from butler_specialist.understanding.folding import fold

__all__ = ["Moment", "find_times", "unclear_hour"]


@dataclass(frozen=True, slots=True)
class Moment:
    """A time of day that the text names."""

    at: time
    start: int
    end: int


_NOT_IN_NUMBER: Final = r"(?<![\d:.,/-])"
_HALF: Final = r"(?P<half>[ap])\.?m\b"
_PATTERNS: Final = tuple(
    re.compile(_NOT_IN_NUMBER + pattern)
    for pattern in (
        rf"(?P<h>[01]?\d|2[0-3])(?::|h)(?P<min>[0-5]\d)(?![\d:])(?: ?{_HALF})?",
        rf"(?P<h>[01]?\d|2[0-3])\.(?P<min>[0-5]\d) ?(?:uhr\b|{_HALF})",
        r"(?<=\bat |\bum )(?P<h>[01]\d|2[0-3])\.(?P<min>[0-5]\d)(?![\d.]| ?(?:[€$£%]|eur|usd|chf|fr|kg|km))",
        rf"(?P<h>1[0-2]|[1-9]) ?{_HALF}",
        r"(?P<h>[01]?\d|2[0-3]) ?(?:uhr|o'clock|heures?)\b(?: (?P<min>[0-5]\d)\b)?",
        r"(?P<h>[01]?\d|2[0-3])h\b",
    )
)
_BARE: Final = re.compile(
    r"\b(?:at|um|gegen|around|a las|a la) (?P<h>[01]?\d|2[0-3])(?=[,;!?)\n]|\.(?!\d)|$| (?:today|tomorrow|tonight|on|in"
    r"|with|and|for|to|we|i|until|sharp|at|heute|morgen|am|im|mit|und|bei|beim|avec|chez|et|con|en|de la|y)\b)"
)
_AFTER_NOON: Final = re.compile(
    r"\b(?:tonight|evening|afternoon|abends?|nachmittags?|soir|apres-midi|tarde|noche)\b"
)
_BEFORE_NOON: Final = re.compile(r"\b(?:morning|morgens|vormittags?|fruh|matin|de la manana)\b")
_NAMED: Final = re.compile(
    r"\b(?:(?P<noon>at noon|mittags|a midi|al mediodia)|at midnight|um mitternacht|a minuit)\b"
)


def find_times(text: str) -> tuple[Moment, ...]:
    """All times of day in the order of the text."""
    folded = fold(text)
    found = [_moment(match) for pattern in _PATTERNS for match in pattern.finditer(folded)]
    found += [_hour(match) for match in _BARE.finditer(folded)]
    found += [
        Moment(time(12 if match["noon"] else 0), match.start(), match.end())
        for match in _NAMED.finditer(folded)
    ]
    kept: list[Moment] = []
    for moment in sorted((item for item in found if item is not None), key=lambda item: item.start):
        if not kept or moment.start >= kept[-1].end:
            kept.append(moment)
    return tuple(kept)


def unclear_hour(text: str) -> str | None:
    """The words of an hour that may be of the morning or of the evening, in the sender's writing: "at 5"."""
    unclear = (match for match in _BARE.finditer(fold(text)) if int(match["h"]) and _hour(match) is None)
    return next((text[match.start() : match.end()] for match in unclear), None)


def _moment(match: re.Match[str]) -> Moment | None:
    groups = match.groupdict()
    hour, half = int(groups["h"]), groups.get("half")
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    return Moment(time(hour, int(groups.get("min") or 0)), match.start(), match.end())


def _hour(match: re.Match[str]) -> Moment | None:
    """The hour after "at": of the afternoon, of the evening or of the morning only if the text says so."""
    hour, folded = int(match["h"]), match.string
    if hour < 13:
        evening, morning = _AFTER_NOON.search(folded), _BEFORE_NOON.search(folded)
        if bool(evening) == bool(morning) or hour == 0:
            return None
        hour = hour % 12 + (12 if evening else 0)
    return Moment(time(hour), match.start("h"), match.end("h"))
