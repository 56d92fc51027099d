# ruff: noqa: E501 - patterns stay on one line
"""Spoken times: "half past nine", "viertel vor acht", "9h et demie", "siete menos cuarto" (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from butler_kit.wording.folding import one_of
from butler_specialist.understanding.calendar_words import HOURS

__all__ = ["HOUR", "Spoken", "spoken_hours"]


@dataclass(frozen=True, slots=True)
class Spoken:
    """An hour on a 12-hour clock, or a 24-hour one if written so, with its minutes and its place.

    `clock`: in its language such an hour from seven on is am, unless it says otherwise.
    """

    hour: int
    minute: int
    start: int
    end: int
    clock: bool


_WORD: Final = one_of(HOURS)
HOUR: Final = rf"(?:(?P<h>[01]?\d|2[0-3])|(?P<word>{_WORD}))"
_MINUTES: Final = {
    "half past": 30, "half": 30, "quarter past": 15, "quarter to": -15, "five past": 5, "ten past": 10, "twenty past": 20,
    "five to": -5, "ten to": -10, "twenty to": -20,
    "halb": -30, "viertel nach": 15, "viertel vor": -15, "dreiviertel": -15, "funf nach": 5, "zehn nach": 10,
    "zwanzig nach": 20, "funf vor": -5, "zehn vor": -10, "zwanzig vor": -20, "kurz nach halb": -30,
    "et demie": 30, "et demi": 30, "et quart": 15, "moins le quart": -15, "moins vingt": -20, "moins dix": -10,
    "moins cinq": -5, "y media": 30, "y cuarto": 15, "menos cuarto": -15, "y diez": 10, "y veinte": 20, "y cinco": 5,
    "menos diez": -10, "menos veinte": -20, "menos cinco": -5,
}  # fmt: skip
_LED: Final = one_of(said for said in _MINUTES if said.split()[0] not in ("et", "moins", "y", "menos"))  # fmt: skip
_FOLLOWED: Final = one_of(said for said in _MINUTES if said.split()[0] in ("et", "moins", "y", "menos"))  # fmt: skip
_BEFORE: Final = re.compile(
    rf"(?<![\w:.,/-])(?:at |um |gegen )?(?:a )?(?P<said>{_LED}) {HOUR}\b(?![:.]\d)(?! ?(?:kg|km|mg|ml|euros?|eur|%|hours?|stunden?))"
)
_AFTER: Final = re.compile(
    rf"(?<![\w:.,/-])(?P<led>a las? |a |vers |sobre las? )?{HOUR}(?P<unit> ?h| ?heures?)? (?P<said>{_FOLLOWED})\b"
)


_OF_NOON: Final = re.compile(rf"\b(?:a |vers |de )?(?P<noon>midi|minuit) (?P<said>{_FOLLOWED})\b")
"""Relative to noon or midnight: "midi moins le quart", "minuit et demi"."""


def spoken_hours(folded: str) -> Iterator[Spoken]:
    """Yield each one of the folded text."""
    for match in _BEFORE.finditer(folded):
        yield _spoken(match, clock=False)
    for match in _OF_NOON.finditer(folded):
        hour, minute = divmod(
            ((12 if match["noon"] == "midi" else 24) * 60 + _MINUTES[match["said"]]) % 1440, 60
        )
        yield Spoken(hour, minute, match.start(), match.end(), True)
    for match in _AFTER.finditer(folded):
        if match["unit"] or match["led"]:
            yield _spoken(match, clock=True)


def _spoken(match: re.Match[str], *, clock: bool) -> Spoken:
    hour = int(match["h"] or HOURS[match["word"]])
    day = 24 if hour > 12 else 12
    minutes = (hour * 60 + _MINUTES[match["said"]]) % (day * 60)
    hour, minute = minutes // 60, minutes % 60
    return Spoken(hour or (0 if day == 24 else 12), minute, match.start(), match.end(), clock)
