"""Whom to call, by the household's time zone (pure). If no number is known, the local one in words.

112: Directive (EU) 2018/1972, article 109; 999 beside it in the United Kingdom (Ofcom). 911: the North American
Numbering Plan and Mexico; parts of South America have others. 000: Australia (ACMA). 111: New Zealand. The other
lines are to be checked against each country's own page before a release; not all of them answer at night.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

__all__ = ["Lines", "emergency_numbers", "lines_of"]


@dataclass(frozen=True, slots=True)
class Lines:
    """A country's numbers beside the emergency number; empty if there is none, or we do not know it."""

    despair: str = ""
    violence: str = ""
    poison: str = ""


_OF_COUNTRIES: Final[Mapping[str, tuple[str, Lines]]] = {
    "AT": ("Europe/Vienna", Lines("142", "0800 222 555", "01 406 43 43")),
    "AU": ("", Lines("13 11 14", "1800 737 732", "13 11 26")),
    "BE": ("Europe/Brussels", Lines("0800 32 123 / 1813", "0800 30 030", "070 245 245")),
    "CA": (
        "America/Toronto America/Vancouver America/Montreal America/Halifax America/Winnipeg America/Edmonton"
        " America/Regina America/St_Johns",
        Lines("988", "", "1-844-764-7669"),
    ),
    "CH": ("Europe/Zurich", Lines("143", "", "145")),
    "DE": ("Europe/Berlin Europe/Busingen", Lines("0800 111 0 111", "116 016")),
    "ES": ("Europe/Madrid Atlantic/Canary Africa/Ceuta", Lines("024", "016", "915 620 420")),
    "FR": ("Europe/Paris", Lines("3114", "3919")),
    "GB": (
        "Europe/London Europe/Belfast Europe/Jersey Europe/Guernsey Europe/Isle_of_Man GB",
        Lines("116 123", "0808 2000 247", "111"),
    ),
    "IE": ("Europe/Dublin", Lines("116 123", "1800 341 900")),
    "IT": ("Europe/Rome", Lines("", "1522")),
    "NL": ("Europe/Amsterdam", Lines("113", "0800 2000")),
    "NZ": ("Pacific/Auckland", Lines("1737", "0800 456 450", "0800 764 766")),
    "US": (
        "America/New_York America/Chicago America/Denver America/Los_Angeles America/Phoenix America/Detroit"
        " America/Anchorage America/Boise America/Indiana/Indianapolis Pacific/Honolulu",
        Lines("988", "1-800-799-7233", "1-800-222-1222"),
    ),
}
_OF_ZONES: Final = {zone: lines for zones, lines in _OF_COUNTRIES.values() for zone in zones.split()}
_LINES_OF_REGIONS: Final = {"Australia": "AU", "Canada": "CA", "US": "US"}

_OF_REGIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "Europe": ("112",),
    "Australia": ("000",),
    "America": ("911",),
    "US": ("911",),
    "Canada": ("911",),
}
_NUMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(_OF_COUNTRIES["GB"][0].split(), ("999", "112")),
    **dict.fromkeys(
        (
            "Africa/Ceuta",
            "Atlantic/Canary",
            "Atlantic/Madeira",
            "Atlantic/Azores",
            "Atlantic/Reykjavik",
            "Asia/Nicosia",
        ),
        ("112",),
    ),
    "Pacific/Honolulu": ("911",),
    "Pacific/Auckland": ("111",),
    **dict.fromkeys(
        (
            "America/Sao_Paulo",
            "America/Manaus",
            "America/Fortaleza",
            "America/Bahia",
            "America/Santiago",
            "America/Bogota",
            "America/Lima",
            "America/La_Paz",
            "America/Caracas",
            "America/Havana",
        ),
        (),
    ),
}


def emergency_numbers(zone: tzinfo | None) -> tuple[str, ...]:
    """Return the numbers for an ambulance in the household's zone; empty if we are not sure."""
    key = _key(zone)
    return _NUMBERS.get(key, _OF_REGIONS.get(key.partition("/")[0], ()))


def lines_of(zone: tzinfo | None) -> Lines:
    """Return the lines of its country."""
    key = _key(zone)
    country = _LINES_OF_REGIONS.get(key.partition("/")[0], "")
    return _OF_ZONES.get(key) or (_OF_COUNTRIES[country][1] if country else Lines())


def _key(zone: tzinfo | None) -> str:
    return str(getattr(zone, "key", ""))
