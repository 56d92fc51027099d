# ruff: noqa: E501 - patterns stay on one line
"""The hours of a day at which something is taken: "at 8 and 20", "8:30, 14 Uhr und 20 Uhr", "jeden Morgen" (pure).

Invariant: in a row of hours each is later than the one before, so that "at 8, 2 and 8" are three of one day.
EN, DE, FR, ES.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import time
from typing import Final

from butler_specialist.understanding.day_parts import part_in, part_spans

__all__ = ["hours_in"]

_HOUR: Final = re.compile(
    r"(?P<at>\b(?:at|@|um|gegen|jeweils|immer|around|about|a las?|a la|a|vers|las) )?(?<![\d.,:/-])(?P<h>2[0-4]|[01]?\d)(?:(?P<sep>[:.h])(?P<m>[0-5]\d))?(?![\d:/]|[.,]\d)"
    r" ?(?P<said>uhr|heures?|h|o'clock|a\.?m\b\.?|p\.?m\b\.?|horas)?(?!\w)(?! ?(?:x|mg|ml|mcg|iu|ie|%|times|mal|fois|veces|tage?n?|days?|jours?|dias?|weeks?|wochen?|stunden|hours|tablet|drop|puff|tropfen|pill|kapsel|comprim|gotas|pastill|gouttes|hub)\w*)"
)
_BETWEEN: Final = re.compile(
    r"(?:\s*(?:,|&|/|\+|\band\b|\bund\b|\bet\b|\by\b|\be\b)\s*)+(?:then |dann |puis |and |und )?$"
)
_BESIDE: Final = 6
"""The characters before a part of the day that are read with it: "jeden Morgen"."""
_EVERY: Final = re.compile(r"\b(?:every|each|alle|toutes les|tous les|cada) $")
_EVENING: Final = re.compile(r"\b(?:evening|night|tonight|pm|abends?|nachts?|soir|nuit|tarde|noche)\b")
_MORNING: Final = re.compile(r"\b(?:mornings?|am|morgens?|fruh|matin|manana)\b")


def hours_in(folded: str) -> tuple[time, ...]:
    """Return the hours that a clause names, else the customary ones of its parts of the day.

    In the day's order.
    """
    hours = _in_a_row([_of_a_clock(match) for match in _said(folded)], folded)
    if not hours:
        hours = [
            at
            for start, end in part_spans(folded)
            if (at := part_in(folded[max(0, start - _BESIDE) : end])) is not None
        ]
    return tuple(sorted(set(hours)))


def _said(folded: str) -> Iterator[re.Match[str]]:
    """Yield the hours: numbers written as one, or in a row after one."""
    last = -1
    for match in _HOUR.finditer(folded):
        goes_on = last >= 0 and _BETWEEN.fullmatch(folded, last, match.start("h")) is not None
        marked = match["at"] or match["said"] or (match["m"] and match["sep"] in ":h")
        if not (marked or goes_on) or _EVERY.search(folded[: match.start("h")]):
            continue
        last = match.end()
        yield match


@dataclass(frozen=True, slots=True)
class _Hour:
    """An hour; `sure`: it is clear whether it is am or pm; `wide`: its number is not on a 12-hour clock."""

    at: time
    sure: bool
    wide: bool


def _of_a_clock(match: re.Match[str]) -> _Hour:
    hour, minute, said = int(match["h"]) % 24, int(match["m"] or 0), match["said"] or ""
    if said.startswith(("a", "p")):
        return _Hour(time(hour % 12 + (12 if said.startswith("p") else 0), minute), sure=True, wide=False)
    wide = hour > 12 or hour == 0
    sure = wide or match["h"].startswith("0") or said.startswith(("u", "h"))
    return _Hour(time(hour, minute), sure, wide)


def _in_a_row(said: list[_Hour], folded: str) -> list[time]:
    """Return the hours of a row; if one is on a 24-hour clock, all are."""
    if len(said) == 1 and not said[0].sure:
        return [_alone(said[0].at, folded)]
    wide, hours = any(one.wide for one in said), list[time]()
    for one in said:
        later = not (wide or one.sure) and one.at.hour < 12 and bool(hours) and one.at <= hours[-1]
        hours.append(_of_the_evening(one.at) if later else one.at)
    return hours


def _alone(at: time, folded: str) -> time:
    """Return a single ambiguous hour: as the clause says, else as it is by day."""
    late = bool(_EVENING.search(folded)) and not _MORNING.search(folded)
    return _of_the_evening(at) if at.hour < 12 and (late or at.hour < 5) else at


def _of_the_evening(at: time) -> time:
    return at.replace(hour=at.hour + 12)
