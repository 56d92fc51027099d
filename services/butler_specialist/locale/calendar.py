"""Names of days and months, and the marks of numbers, from CLDR: `make texts` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from butler_contracts.language import Language

__all__ = ["MARKS", "MONTHS", "WEEKDAYS"]

WEEKDAYS: Final[Mapping[Language, tuple[str, ...]]] = {
    "en": (
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
    ),
    "de": (
        "Montag",
        "Dienstag",
        "Mittwoch",
        "Donnerstag",
        "Freitag",
        "Samstag",
        "Sonntag",
    ),
    "fr": (
        "lundi",
        "mardi",
        "mercredi",
        "jeudi",
        "vendredi",
        "samedi",
        "dimanche",
    ),
    "es": (
        "lunes",
        "martes",
        "miércoles",
        "jueves",
        "viernes",
        "sábado",
        "domingo",
    ),
}
MONTHS: Final[Mapping[Language, tuple[str, ...]]] = {
    "en": (
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ),
    "de": (
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ),
    "fr": (
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ),
    "es": (
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ),
}
MARKS: Final[Mapping[Language, tuple[str, str]]] = {
    "en": (",", "."),
    "de": (".", ","),
    "fr": ("\u202f", ","),
    "es": (".", ","),
}
"""Between thousands, and before a fraction."""
