# ruff: noqa: E501 - patterns stay on one line
"""Rewrites words about when as people type them into ones that can be read: "tmrw", "7 y media" (pure).

Only for text known to be about a reminder: elsewhere "9.30" may be a sum and "the first" no day. EN, DE, FR, ES.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from butler_kit.wording.folding import fold, one_of
from butler_specialist.understanding.calendar_words import DAY_PARTS, HOURS, WEEKDAYS
from butler_specialist.understanding.kept import kept

__all__ = ["plain_when"]

_MOST: Final = 500
"""The most characters; a longer clause is no wish of a person."""
_HOUR: Final = rf"(?P<h>2[0-3]|[01]?\d|{one_of(HOURS)})"
_AT: Final = (
    r"(?:at|um|gegen|around|about|vers|las?|meant|lieber|besser|plutot|mejor|auf|till|until|wecker|alarm)"
)
_ONLY_HOURS: Final = frozenset({"at", "um", "la", "las", "wecker", "alarm"})
"""Words that stand before no day."""
_WEEKDAYS: Final = {
    "mon": "monday", "tue": "tuesday", "tues": "tuesday", "wed": "wednesday", "weds": "wednesday",
    "thu": "thursday", "thur": "thursday", "thurs": "thursday", "fri": "friday", "sat": "saturday", "sun": "sunday",
}  # fmt: skip
_NAMED: Final = one_of(WEEKDAYS)
_WEEKDAY_BEFORE: Final = re.compile(rf"\b(?:{_NAMED})(?:{DAY_PARTS}|nacht)?(?:,| of| de)? $")
_WEEKDAY_BEHIND: Final = rf",?(?: on| am| le| el)? (?!mon\b)(?:{_NAMED})(?:{DAY_PARTS}|nacht)?\b"
"""A weekday of the week that is named beside it; "mon" is also French."""
_BEHIND: Final = re.compile(_WEEKDAY_BEHIND)
_NEXT_WEEK: Final = "next week|nachste woche|la semaine prochaine|la proxima semana|la semana que viene"
_SATURDAY: Final = 5

Rewrite = Callable[[re.Match[str], date], str | None]
"""None leaves the words as they are."""


def _number(said: str) -> int:
    return int(said) if said.isdigit() else HOURS[said]


def _timed(match: re.Match[str], _: date) -> str:
    return f"{match['noun']} in "


def _twice(match: re.Match[str], _: date) -> str:
    """Return both am and pm of the hour, by default eight."""
    hour = int(next((said for said in match.groups() if said), "8")) % 12
    return f"every day at {hour:02}:00 and {hour + 12}:00"


def _half_day(match: re.Match[str], _: date) -> str:
    return f"{_number(match['h'])} {match['half']}"


def _of_a_clock(match: re.Match[str], _: date) -> str | None:
    """Leave what may be a day: "until 8.10."."""
    ends = match.string.startswith(".", match.end())
    if ends and 1 <= int(match["m"]) <= 12 and match["lead"].split()[0] not in _ONLY_HOURS:
        return None
    return f"{match['lead']}{match['h']}:{match['m']}"


def _next(monday: str) -> Rewrite:
    """Return what makes next week its Monday, unless one of its weekdays stands beside it."""
    return lambda match, _: None if _is_beside_a_weekday(match) else monday


def _weekend(saturday: str, today_said: str) -> Rewrite:
    """Return what makes the weekend its Saturday, and on a weekend today; nothing where its weekday is named."""

    def rewrite(match: re.Match[str], today: date) -> str:
        if _is_beside_a_weekday(match):
            return ""
        return today_said if today.weekday() >= _SATURDAY else saturday

    return rewrite


def _is_beside_a_weekday(match: re.Match[str]) -> bool:
    start, end = match.span()
    before = _WEEKDAY_BEFORE.search(match.string, max(0, start - 24), start)
    return before is not None or _BEHIND.match(match.string, end) is not None


def _first_of_month(_: re.Match[str], today: date) -> str:
    return (today.replace(day=1) + timedelta(days=32)).replace(day=1).isoformat()


def _month_end(_: re.Match[str], today: date) -> str:
    return today.replace(day=monthrange(today.year, today.month)[1]).isoformat()


_REWRITES: Final[tuple[tuple[re.Pattern[str], Rewrite], ...]] = tuple(
    (re.compile(pattern), rewrite)
    for pattern, rewrite in (
        (r"\b(?:tmrw|tmr|tmrrw|tomoz|tomoro|tommorow|tommorrow|tomorow|2moro|2mrw)\b", lambda *_: "tomorrow"),
        (r"\b(?:2nite|tonite)\b", lambda *_: "tonight"),
        (r"\bthis arvo\b", lambda *_: "this afternoon"),
        (
            rf"(?:(?<=\bon )|(?<=\bnext )|(?<=\bthis )|(?<=\bevery )|(?<=day and )|^|\b(?=\w+(?: and| at \d| \d|\W*$)))"
            rf"(?P<d>{'|'.join(_WEEKDAYS)})\b(?!\.?\w)",
            lambda match, _: _WEEKDAYS[match["d"]],
        ),
        (r"\bin ner\b", lambda *_: "in einer"),
        (rf"\b(?P<h>{one_of(HOURS)}) ?(?P<half>[ap]\.?m)\b", _half_day),
        (rf"\b{_HOUR}ish\b", lambda match, _: match["h"]),
        (
            rf"\b(?P<lead>{_AT} )(?P<h>2[0-3]|[01]?\d)\.(?P<m>[0-5]\d)(?! ?(?:eur|usd|chf|kg|km|[€$£%])|\d|\.\d)",
            _of_a_clock,
        ),
        (rf"\b(?:at |around )?half {_HOUR}\b", lambda match, _: f"half past {match['h']}"),
        (r"(?<=\bremind me )2 (?=[a-z])", lambda *_: "to "),
        (r"^(?P<noun>timer|alarm|wecker|minuteur|temporizador) (?=\d{1,3} ?(?:s|m|h|stu)[a-z]*\b)", _timed),
        (
            r"\b(?:every )?mornings? and (?:evenings?|nights?)(?: at (?P<a>1?\d))?\b"
            r"|\b(?:jeden )?morgens? und abends?(?: um (?P<b>1?\d)(?: uhr)?)?\b"
            r"|\b(?:le |tous les )?matins? et (?:le )?soirs?(?: a (?P<c>1?\d) ?h(?:eures?)?)?\b"
            r"|\b(?:por la )?manana y (?:por la )?noche(?: a las (?P<d>1?\d))?\b",
            _twice,
        ),
        (r"\bam ersten\b(?! \w+tag)", _first_of_month),
        (r"\bzum (?:monatsersten|ersten)\b|\bam monatsanfang\b", _first_of_month),
        (r"\bon the first\b(?! \w+day)", _first_of_month),
        (r"\ble premier\b(?! \w+di\b)", _first_of_month),
        (r"\bel (?:dia )?(?:primero|uno)\b|\ba primeros? de mes\b", _first_of_month),
        (r"\bel dia (?=\d)", lambda *_: "el "),
        (
            r"\b(?:at |by )?(?:the )?(?:end of (?:the )?month|month end)\b|\b(?:am |zum )?(?:monatsende|ende des monats)\b"
            r"|\b(?:a la )?fin du mois\b|\ba (?:fin|final(?:es)?) de mes\b",
            _month_end,
        ),
        (r"\b(?:this|at the|on the|over the) weekend\b", _weekend("on saturday", "today")),
        (r"\b(?:am|dieses) wochenende\b(?! jede)", _weekend("am samstag", "heute")),
        (r"\bce week-?end\b", _weekend("samedi", "aujourd'hui")),
        (r"\b(?:este|el) (?:finde|fin de semana)\b", _weekend("el sabado", "hoy")),
        (rf"\b(?P<week>{_NEXT_WEEK}),(?={_WEEKDAY_BEHIND})", lambda match, _: match["week"]),
        (
            rf"\b(?P<day>(?:{_NAMED})(?:{DAY_PARTS})?)(?P<at> (?:at|um|a|a las?) \d[\d:.h]*(?: ?[ap]m| uhr)?) (?:of |de )?(?P<week>{_NEXT_WEEK})\b",
            lambda match, _: f"{match['day']} {match['week']}{match['at']}",
        ),
        (r"\bnext week\b(?! on)", _next("next monday")),
        (r"\bnachste woche\b(?! am)", _next("nachsten montag")),
        (r"\bla semaine prochaine\b", _next("lundi prochain")),
        (r"\bla (?:proxima semana|semana que viene)\b", _next("el proximo lunes")),
        (
            r"\b(?:twice (?:a|per) day|zweimal (?:am tag|taglich)|deux fois par jour|dos veces al dia)\b",
            lambda *_: "every day at 8:00 and 20:00",
        ),
        (
            r"\b(?:(?:three|3) times (?:a|per) day|dreimal (?:am tag|taglich)|trois fois par jour|tres veces al dia)\b",
            lambda *_: "every day at 8:00 and 14:00 and 20:00",
        ),
        (r"\bgleich morgen fruh\b", lambda *_: "morgen fruh"),
    )
)  # fmt: skip


@kept
def plain_when(text: str, today: date) -> str:
    """Return the text with such words replaced, and all others as written."""
    if len(text) > _MOST:
        return text
    folded = fold(text)
    for pattern, rewrite in _REWRITES:
        if pattern.search(folded) is None:
            continue
        for match in reversed(list(pattern.finditer(folded))):
            if (plain := rewrite(match, today)) is not None:
                text = f"{text[: match.start()]}{plain}{text[match.end() :]}"
        folded = fold(text)
    return text
