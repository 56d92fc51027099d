# ruff: noqa: E501 - patterns stay on one line
"""Days named by their feast: Boxing Day, "2. Weihnachtstag", le jour de l'An, domingo de Pascua (pure).

Only feasts with one day: "an Weihnachten", "at Easter" is a season. EN, DE, FR, ES; folded texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import lru_cache
from typing import Final

from dateutil.easter import easter

__all__ = ["feasts"]

Falls = Callable[[int], date]
"""Returns the day in a year."""


def _on(month: int, day: int) -> Falls:
    return lambda year: date(year, month, day)


def _from_easter(days: int) -> Falls:
    return lambda year: easter(year) + timedelta(days=days)


def _advent(sunday: int) -> Falls:
    """Return the Sundays before Christmas, the fourth being the last."""

    def falls(year: int) -> date:
        eve = date(year, 12, 24)
        fourth = eve - timedelta(days=(eve.weekday() + 1) % 7)
        return fourth - timedelta(weeks=4 - sunday)

    return falls


_FEASTS: Final[tuple[tuple[str, Falls], ...]] = (
    (r"(?:2\.|zweite[rn]?) weihnachts(?:feier)?tag|boxing day|st\.? stephen's day|lendemain de noel", _on(12, 26)),
    (r"(?:1\.|erste[rn]?) weihnachts(?:feier)?tag|christmas day|(?:le )?jour de noel|dia de navidad", _on(12, 25)),
    (r"heilig ?abend|christmas eve|(?:la )?veille de noel|reveillon de noel|nochebuena", _on(12, 24)),
    (r"silvester(?:abend)?|new year's eve|(?:la )?saint-sylvestre|reveillon du (?:nouvel an|jour de l'an)|nochevieja", _on(12, 31)),
    (r"neujahr(?:stag)?|new year's day|(?:le )?jour de l'an|nouvel an|(?:dia de )?ano nuevo", _on(1, 1)),
    (r"dreikonig\w*|heilige drei konige|epiphany|(?:l')?epiphanie|dia de (?:los )?reyes", _on(1, 6)),
    (r"nikolaus(?:tag|abend)?|saint-nicolas|san nicolas", _on(12, 6)),
    (r"(?:1\.|erste[rnm]?) advent(?:ssonntag)?|first (?:sunday (?:of|in) )?advent|premier dimanche de l'avent|primer domingo de adviento", _advent(1)),
    (r"(?:2\.|zweite[rnm]?) advent(?:ssonntag)?|second (?:sunday (?:of|in) )?advent|deuxieme dimanche de l'avent|segundo domingo de adviento", _advent(2)),
    (r"(?:3\.|dritte[rnm]?) advent(?:ssonntag)?|third (?:sunday (?:of|in) )?advent|troisieme dimanche de l'avent|tercer domingo de adviento", _advent(3)),
    (r"(?:4\.|vierte[rnm]?) advent(?:ssonntag)?|fourth (?:sunday (?:of|in) )?advent|quatrieme dimanche de l'avent|cuarto domingo de adviento", _advent(4)),
    (r"karfreitag|good friday|(?:le )?vendredi saint|viernes santo", _from_easter(-2)),
    (r"ostersonntag|easter sunday|dimanche de paques|domingo de (?:pascua|resurreccion)", _from_easter(0)),
    (r"ostermontag|easter monday|lundi de paques|lunes de pascua", _from_easter(1)),
    (r"christi himmelfahrt|vatertag|ascension day|(?:jeudi de )?l'ascension", _from_easter(39)),
    (r"pfingstsonntag|whit sunday|dimanche de pentecote", _from_easter(49)),
    (r"pfingstmontag|whit monday|lundi de pentecote", _from_easter(50)),
)  # fmt: skip
_NAMED: Final = tuple((re.compile(rf"(?<![\w.])(?:{names})(?!\w)"), falls) for names, falls in _FEASTS)
_ANY: Final = re.compile(
    r"weihnacht|christmas|noel|navidad|heilig|nochebuena|silvester|new year|sylvestre|reveillon|nochevieja|neujahr|jour de l'an|nouvel an|ano nuevo|konig|epiphan|reyes|boxing|stephen|nikolaus|nicolas|advent|avent|adviento|freitag|friday|saint|santo|oster|easter|paques|pascua|resurreccion|himmelfahrt|vatertag|ascension|pfingst|whit|pentecote"
)


def feasts(folded: str, today: date) -> Iterator[tuple[re.Match[str], list[date]]]:
    """Yield each feast that the text names, with its days in the surrounding years."""
    if _ANY.search(folded):
        for pattern, falls in _NAMED:
            for match in pattern.finditer(folded):
                yield match, _days(falls, today.year)


@lru_cache(maxsize=128)
def _days(falls: Falls, year: int) -> list[date]:
    return [falls(one) for one in range(year - 2, year + 3)]
