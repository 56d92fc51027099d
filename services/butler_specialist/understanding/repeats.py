"""How often, as an RFC 5545 rule: "every Monday", "jeden Ersten", "le 1er de chaque mois" (pure).

EN, DE, FR, ES.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from butler_kit.wording.folding import one_of
from butler_specialist.understanding.calendar_words import COUNTS, DAY_PARTS, WEEKDAYS
from butler_specialist.understanding.durations import UNIT_NAMES
from butler_specialist.understanding.kept import kept

__all__ = ["DAY_CODES", "Repeat", "repeat_in"]

DAY_CODES: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_BESIDE: Final = 5
_FREQUENCIES: Final = {
    "minute": "MINUTELY", "hour": "HOURLY", "day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Repeat:
    """How often; its words run from `start` to `end`. `days` are codes of RFC 5545: `MO`, `1MO`."""

    frequency: str
    start: int
    end: int
    interval: int = 1
    days: tuple[str, ...] = ()
    month_day: int | None = None
    month: int | None = None
    loose: bool = False
    """Whether the words may instead say how long something takes: "from Monday to Friday"."""

    @property
    def rule(self) -> str:
        """The RRULE without its prefix."""
        parts = [f"FREQ={self.frequency}"]
        parts += [f"INTERVAL={self.interval}"] if self.interval > 1 else []
        parts += [f"BYMONTH={self.month}"] if self.month else []
        parts += [f"BYDAY={','.join(self.days)}"] if self.days else []
        return ";".join([*parts, *self._month_days()])

    def _month_days(self) -> list[str]:
        """Return the days of the month; a month without that day uses its last one."""
        if self.month_day is None:
            return []
        if self.month_day <= 28 or (self.month not in (None, 2)):
            return [f"BYMONTHDAY={self.month_day}"]
        days = ",".join(str(day) for day in range(28, self.month_day + 1))
        return [f"BYMONTHDAY={days}", "BYSETPOS=-1"]

    def on(self, day: date) -> Repeat:
        """Return the same on the weekday, day of the month or day of the year of `day`, if it has none."""
        if self.days or self.month_day is not None:
            return self
        match self.frequency:
            case "WEEKLY":
                return replace(self, days=(DAY_CODES[day.weekday()],))
            case "MONTHLY":
                return replace(self, month_day=day.day)
            case "YEARLY":
                return replace(self, month=day.month, month_day=day.day)
        return self


_NAME: Final = one_of(WEEKDAYS)
_PART: Final = rf"(?:{DAY_PARTS}|nacht)?"
_EVERY: Final = r"(?:every|each|jede[nrsm]?|chaque|tous les|toutes les|cada|todos los|todas las)"
_ALSO: Final = (
    r"(?:\s*(?:,|&|/|\band\b|\bund\b|\bet\b|\by\b|\bor\b)\s*(?:and |und |et |y )?"
    r"(?:on |every |jeden |chaque |tous les |les |le |los |el )?"
)
_OTHER: Final = r"(?P<other>other |second |2nd |zweiten |zweite |dos |deux )"
_LONG: Final = "|".join(
    name for name in WEEKDAYS if name.endswith(("day", "tag", "abend", "woch", "di", "dimanche", "ado"))
)
_WEEKDAYS: Final = re.compile(
    rf"\b(?:{_EVERY} {_OTHER}?|(?:on )?(?=(?:{_LONG})s\b)|(?:les|los) |un (?=(?:{_NAME}) sur deux))"
    rf"(?P<names>(?:{_NAME}){_PART}s?\b{_ALSO}(?:{_NAME}){_PART}s?\b){{0,6}})(?P<surdeux> sur deux)?"
)
_RANGE: Final = re.compile(
    rf"\b(?:from |du |de |von )?(?P<first>{_NAME})s? ?(?:-|to|through|till|until|bis|au|a) ?(?P<last>{_NAME})s?\b"
)
_WORKDAYS: Final = re.compile(
    rf"\b(?:(?:{_EVERY}|on) (?:single )?(?:weekdays?|week days?|work(?:ing|) ?days?|business days?|school ?days?)"
    r"|weekdays|werktags|wochentags|an (?:werktagen|wochentagen|schultagen)|unter der woche"
    r"|jeden (?:werktag|wochentag|arbeitstag|schultag)"
    r"|(?:chaque|tous les) jours? (?:de la semaine|ouvres?|ouvrables?|de semaine|d'ecole)|en semaine"
    r"|entre semana|(?:cada|todos los) dias? (?:laborables?|de semana|habil(?:es)?|de colegio))\b"
)
_WEEKENDS: Final = re.compile(
    rf"\b(?:{_EVERY} (?:weekends?|wochenenden?|week-ends?|fin(?:es)? de semana)|on weekends"
    r"|am wochenende jede woche|los fines de semana)\b"
)
_MONTHLY: Final = (
    r"(?:of (?:each|every|the) month|a month|(?:des|jedes|im|jeden|eines jeden) monats?|(?:du|de chaque) mois"
    r"|(?:del|de(?: cada| todos los)?) mes(?:es)?)"
)
_ORDINALS: Final = {
    word: number
    for number, words in enumerate(
        (
            "first 1st ersten erste erster premier premiers 1er 1ers primer primero primeros",
            "second 2nd zweiten zweite deuxieme deuxiemes 2eme 2e segundo segundos",
            "third 3rd dritten dritte troisieme troisiemes 3eme 3e tercer tercero terceros",
            "fourth 4th vierten vierte quatrieme quatriemes 4eme 4e cuarto cuartos",
        ),
        start=1,
    )
    for word in words.split()
} | dict.fromkeys(("last", "letzten", "letzter", "letzte", "dernier", "derniers", "ultimo", "ultimos"), -1)
_ORDINAL: Final = one_of(_ORDINALS)
_NTH_WEEKDAY: Final = re.compile(
    rf"\b(?:{_EVERY} |(?:on )?the |am |le |el )(?P<nth>{_ORDINAL}) (?P<w>{_NAME})s? ?(?:{_MONTHLY}|(?:in"
    rf"|im) (?:every |each |the |jedem )?mon(?:th|at))"
)
_DAY_OF_MONTH: Final = re.compile(
    rf"\b(?:{_EVERY} |on the |the |am |jeweils am |zum |le |el )(?P<nth>(?:{_ORDINAL})\b|\d{{1,2}}(?:st|nd|rd"
    rf"|th|er|\.)?)"
    rf"(?: (?:day|tag|jour|dia))? (?P<month>{_MONTHLY})"
    rf"|\b{_EVERY} (?:month|monat|mois|mes) (?:on the |am |le |el )(?P<last>(?:{_ORDINAL})\b|\d{{1,2}}(?:st|nd"
    rf"|rd|th|er|\.)?)(?: (?:day|tag|jour|dia))?"
)
_EVERY_NTH: Final = re.compile(
    r"\b(?:(?:every|each) (?P<en>\d{1,2})(?:st|nd|rd|th)\b|jeden (?P<de>\d{1,2})\.(?!\d)"
    r"|jeden (?P<first>ersten)\b(?! \w+tag\b)"
    r"|(?:tous les|chaque) (?P<fr>\d{1,2}|1er)(?= du mois|\s*[,.;]|\s*$| a \d)|cada (?:dia )(?P<es>\d{1,2})\b)"
)
_PERIODS: Final = [word for word, unit in UNIT_NAMES.items() if unit in _FREQUENCIES and len(word) > 1]
_COUNTED: Final = re.compile(
    rf"\b(?:every|each|alle|jede[nrsm]?|tous les|toutes les|chaque|cada)(?: (?P<n>\d{{1,2}}|{'|'.join(COUNTS)}"
    rf"|other|second|zweiten?|zweites))?"
    rf" (?P<unit>{one_of(_PERIODS)})\b"
)
_NIGHTS: Final = re.compile(
    rf"\b(?P<every>{_EVERY}) (?:single )?(?=(?:mornings?|noons?|afternoons?|evenings?|nights?|morgen|vormittag"
    rf"|mittag|nachmittag|abend|nacht"
    r"|matins?|midis?|apres-midis?|soirs?|nuits?|mananas?|tardes?|noches?)\b)"
)
_PLAIN: Final = re.compile(
    r"\b(?:(?P<day>daily|taglich|quotidiennement|todos los dias|a diario|diariamente|tous les jours|un jour sur deux)"
    r"|(?P<week>weekly|once a week|wochentlich|einmal (?:die|pro) woche|une fois par semaine|semanalmente"
    r"|una vez (?:a la|por) semana)"
    r"|(?P<month>monthly|once a month|monatlich|einmal im monat|une fois par mois|mensualmente|una vez al mes)"
    r"|(?P<year>yearly|annually|once a year|jahrlich|tous les ans|une fois par an|anualmente|una vez al ano))\b"
)


@kept
def repeat_in(folded: str) -> Repeat | None:
    """Return the first words that say how often; the longest if several start together."""
    found = [*_of_weekdays(folded), *_of_months(folded), *_counted(folded)]
    first = min(found, key=lambda repeat: (repeat.start, -repeat.end), default=None)
    return first and next((_both(first, other) for other in found if _go_together(first, other)), first)


def _go_together(first: Repeat, other: Repeat) -> bool:
    """Return whether the second is the weekday of the first: "alle zwei Wochen montags"."""
    weekly = first.frequency == other.frequency == "WEEKLY" and not first.days
    return weekly and bool(other.days) and 0 <= other.start - first.end <= _BESIDE


def _both(first: Repeat, other: Repeat) -> Repeat:
    return replace(first, days=other.days, end=other.end)


def _of_weekdays(folded: str) -> Iterator[Repeat]:
    for match in _WEEKDAYS.finditer(folded):
        names = re.findall(_NAME, match["names"])
        days = tuple(DAY_CODES[number] for number in sorted({WEEKDAYS[name] for name in names}))
        interval = 2 if match["other"] or match["surdeux"] else 1
        yield Repeat("WEEKLY", *match.span(), interval=interval, days=days)
    for match in _RANGE.finditer(folded):
        first, last = WEEKDAYS[match["first"]], WEEKDAYS[match["last"]]
        days = tuple(DAY_CODES[day % 7] for day in range(first, last + 1 + 7 * (last < first)))
        yield Repeat("WEEKLY", *match.span(), days=days, loose=True)
    yield from (Repeat("WEEKLY", *match.span(), days=DAY_CODES[:5]) for match in _WORKDAYS.finditer(folded))
    yield from (Repeat("WEEKLY", *match.span(), days=("SA",)) for match in _WEEKENDS.finditer(folded))


def _of_months(folded: str) -> Iterator[Repeat]:
    for match in _NTH_WEEKDAY.finditer(folded):
        code = f"{_ORDINALS[match['nth']]}{DAY_CODES[WEEKDAYS[match['w']]]}"
        yield Repeat("MONTHLY", *match.span(), days=(code,))
    for match in _DAY_OF_MONTH.finditer(folded):
        yield from _on_month_day(match, match["nth"] or match["last"])
    for match in _EVERY_NTH.finditer(folded):
        yield from _on_month_day(match, next(text for text in match.groups() if text))


def _on_month_day(match: re.Match[str], said: str) -> Iterator[Repeat]:
    day = _ORDINALS.get(said) or int(re.match(r"\d+", said).group())  # type: ignore[union-attr]
    if day == -1 or 1 <= day <= 31:
        yield Repeat("MONTHLY", *match.span(), month_day=day)


def _counted(folded: str) -> Iterator[Repeat]:
    for match in _COUNTED.finditer(folded):
        said = match["n"]
        number = 1 if said is None else COUNTS.get(said) or (int(said) if said.isdigit() else 2)
        if number:
            yield Repeat(_FREQUENCIES[UNIT_NAMES[match["unit"]]], *match.span(), interval=number)
    for match in _NIGHTS.finditer(folded):
        yield Repeat("DAILY", *match.span())
    for match in _PLAIN.finditer(folded):
        interval = 2 if "sur deux" in match.group() else 1
        yield Repeat(_FREQUENCIES[match.lastgroup or "day"], *match.span(), interval=interval)
