"""Times of day (pure).

An hour that may be of the morning or of the evening, "at 5", is no time unless the text says which. What is written as
a clock writes it, "17:30", "08:00", "9 Uhr", says it; so do "9 Uhr", "a las 9" and
"at 7:30", but "at 5:30" and "3 Uhr" do not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time
from functools import lru_cache
from typing import Final, Literal

from butler_specialist.understanding.calendar_words import HOURS
from butler_specialist.understanding.folding import fold
from butler_specialist.understanding.recurrence import is_recurrence

__all__ = ["Moment", "all_times", "find_times", "unclear_hour"]


@dataclass(frozen=True, slots=True)
class Moment:
    """A time of day that the text names; `at` is unknown where it may be of the morning or of the evening."""

    at: time | None
    start: int
    end: int
    twelve: time | None = None
    """The hour as a clock of twelve hours shows it, where no word, zero or larger number says which half is meant."""


_NOT_IN_NUMBER: Final = r"(?<![\d:.,/-])"
_HALF: Final = r"(?P<half>[ap])\.?m\b"
_CLOCK: Final = tuple(
    re.compile(_NOT_IN_NUMBER + pattern)
    for pattern in (
        rf"(?P<h>[01]?\d|2[0-3])(?::|h)(?P<min>[0-5]\d)(?![\d:])(?: ?{_HALF}| ?(?P<uhr>uhr)\b)?",
        rf"(?P<h>[01]?\d|2[0-3])\.(?P<min>[0-5]\d) ?(?:(?P<uhr>uhr)\b|{_HALF})",
        r"(?<=\bat |\bum )(?P<h>[01]\d|2[0-3])\.(?P<min>[0-5]\d)(?![\d.]| ?(?:[€$£%]|eur|usd|chf|fr|kg|km))",
        rf"(?P<h>1[0-2]|[1-9]) ?{_HALF}",
        r"(?<!\bslept )(?<!\bfor )(?<!\bdormi )(?<!\bpendant )(?<!\bworked )(?P<h>[01]?\d|2[0-3])h\b",
    )
)
_WORD: Final = "|".join(sorted(HOURS, key=len, reverse=True))
_ENDS: Final = (
    r"(?=[,;!?)\n]|\.(?!\d)|$| (?:today|tomorrow|tonight|on|in|this|next|every"
    r"|with|and|for|to|we|i|until|sharp|at|heute|morgen|am|im|mit|und|bei|beim|avec|chez|et|con|en|de la|de|por|du|y"
    rf"|{'|'.join(('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'))})\b)"
)
_BARE: Final = re.compile(
    rf"\b(?:at|um|gegen|around|(?P<las>a las?)|vers) (?:(?P<h>[01]?\d|2[0-3])|(?P<word>{_WORD}))"
    rf"(?!(?:(?<=\bat \d)|(?<=\bat \d\d)) am\b){_ENDS}"
)
"""Not "at 8 am", of which "am" is no German word."""
_SPOKEN: Final = re.compile(
    rf"(?<![\w:.,/-])(?:(?P<h>[01]?\d|2[0-3]) ?|(?P<word>{_WORD}) )(?P<unit>uhr|o'clock"
    rf"|heures?)\b(?: (?P<min>[0-5]\d)\b)?"
)
_PARTED: Final = re.compile(
    r"\b(?:(?P<past>half past|quarter past|viertel nach)|(?P<to>quarter to|halb|viertel vor))"
    rf" (?:(?P<h>1[0-2]|[1-9])|(?P<word>{_WORD}))\b"
)
_FOLLOWED: Final = re.compile(
    rf"(?<![\d:.,])\b(?:a las? |las? |vers |a )?(?:(?P<h>[01]?\d|2[0-3])|(?P<word>{_WORD}))(?: ?h| heures?)?"
    r" (?P<past>y media|y cuarto|et demie?|et quart|menos cuarto|moins (?:le )?quart)\b"
)
"""Quarters behind the hour: "las 7 y media", "8h moins le quart"."""
_MINUTES: Final = {
    "half past": 30, "quarter past": 15, "viertel nach": 15, "quarter to": -15, "viertel vor": -15, "halb": -30,
    "y media": 30, "et demie": 30, "et demi": 30, "y cuarto": 15, "et quart": 15,
    "menos cuarto": -15, "moins le quart": -15, "moins quart": -15,
}  # fmt: skip
_AFTER_NOON: Final = re.compile(
    r"\b(?:tonight|evening|afternoon|\w*abends?|\w*nachmittags?|soir|apres-midi|tarde|noche)\b"
)
_BEFORE_NOON: Final = re.compile(
    r"\b(?:morning|morgens|jeden morgen|\w*vormittags?|fruh|matin"
    r"|manana por la manana|de la manana|cada manana|todas las mananas|matins)\b"
)
_NAMED: Final = re.compile(
    r"\b(?:(?P<noon>at noon|mittags|a midi|al mediodia)|at midnight|um mitternacht|a minuit)\b"
)
_FIRST_CLEAR: Final = 7
"""From this hour on "7 Uhr" and "at 7:30" are of the morning as they stand."""


def find_times(text: str) -> tuple[Moment, ...]:
    """All times of day in the order of the text that are clear."""
    return tuple(moment for moment in all_times(text) if moment.at is not None)


def unclear_hour(text: str) -> str | None:
    """The words of an hour that may be of the morning or of the evening, in the sender's writing: "at 5"."""
    return next((text[moment.start : moment.end] for moment in all_times(text) if moment.at is None), None)


def all_times(text: str) -> list[Moment]:
    """All times of day in the order of the text, also those that may be of the morning or of the evening."""
    folded = fold(text)
    found = [_clock(match) for pattern in _CLOCK for match in pattern.finditer(folded)]
    found += [
        _hour(match)
        for pattern in (_SPOKEN, _BARE)
        for match in pattern.finditer(folded)
        if not is_recurrence(folded, *match.span())
    ]
    found += [_parted(match) for match in _PARTED.finditer(folded)]
    found += [_followed(match) for match in _FOLLOWED.finditer(folded)]
    found += [
        Moment(time(12 if match["noon"] else 0), match.start(), match.end())
        for match in _NAMED.finditer(folded)
    ]
    kept: list[Moment] = []
    for moment in sorted(
        (item for item in found if item is not None), key=lambda item: (item.start, -item.end)
    ):
        if not kept or moment.start >= kept[-1].end:
            kept.append(moment)
    return kept


def _clock(match: re.Match[str]) -> Moment | None:
    groups = match.groupdict()
    hour, minute, half = int(groups["h"]), int(groups.get("min") or 0), groups.get("half")
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
        return Moment(time(hour, minute), match.start(), match.end())
    loose = match.string.endswith("at ", 0, match.start()) and not match["h"].startswith("0")
    at = _of_day(hour, minute, match.string, clear=_FIRST_CLEAR) if loose else time(hour, minute)
    twelve = _twelve(hour, minute, match.string) if len(match["h"]) == 1 else None
    return Moment(at, match.start() - 3 * loose, match.end(), twelve)


def _hour(match: re.Match[str]) -> Moment | None:
    """An hour without minutes: of the afternoon, of the evening or of the morning only if the text says so."""
    groups = match.groupdict()
    hour = int(match["h"] or HOURS[match["word"]])
    clock = groups.get("las") or groups.get("unit") not in (None, "o'clock")
    minute = int(groups.get("min") or 0)
    at = _of_day(hour, minute, match.string, clear=_FIRST_CLEAR if clock else 13)
    zero = (match["h"] or "").startswith("0")
    return Moment(at, match.start(), match.end(), None if zero else _twelve(hour, minute, match.string))


def _parted(match: re.Match[str]) -> Moment:
    hour = int(match["h"] or HOURS[match["word"]])
    minutes = (hour * 60 + _MINUTES[match["past"] or match["to"]]) % (12 * 60)
    hour, minute = minutes // 60 or 12, minutes % 60
    at = _of_day(hour, minute, match.string, clear=13)
    return Moment(at, match.start(), match.end(), _twelve(hour, minute, match.string))


def _followed(match: re.Match[str]) -> Moment:
    hour = int(match["h"] or HOURS[match["word"]])
    minutes = (hour * 60 + _MINUTES[match["past"]]) % (24 * 60)
    hour, minute = divmod(minutes, 60)
    at = _of_day(hour, minute, match.string, clear=_FIRST_CLEAR)
    return Moment(at, match.start(), match.end(), _twelve(hour, minute, match.string))


def _twelve(hour: int, minute: int, folded: str) -> time | None:
    """The hour where only a clock of twelve says it."""
    return time(hour, minute) if 1 <= hour <= 12 and _half_said(folded) is None else None


def _of_day(hour: int, minute: int, folded: str, *, clear: int) -> time | None:
    """The time; None where the text does not say which half of the day is meant of an hour before `clear`."""
    if 1 <= hour <= 12 and (half := _half_said(folded)):
        return time(hour % 12 + (12 if half == "p" else 0), minute)
    return time(hour, minute) if hour >= clear or (hour == 0 and clear < 13) else None


@lru_cache(maxsize=64)
def _half_said(folded: str) -> Literal["a", "p"] | None:
    """The half of the day that the whole text names, if it names one alone; asked for each of its hours."""
    evening, morning = _AFTER_NOON.search(folded) is not None, _BEFORE_NOON.search(folded) is not None
    if evening == morning:
        return None
    return "p" if evening else "a"
