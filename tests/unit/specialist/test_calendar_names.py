"""The names of days and months and the marks of numbers are those of CLDR; run as a program, it writes them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from babel.dates import format_date
from babel.numbers import format_decimal

import butler_specialist.locale.calendar
from butler_contracts.language import LANGUAGES, Language
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.money import amount_text

MODULE = Path(butler_specialist.locale.calendar.__file__)
HEAD = '''"""Names of days and months, and the marks of numbers, from CLDR: `make texts` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from butler_contracts.language import Language

__all__ = ["MARKS", "MONTHS", "WEEKDAYS"]
'''


def _names(pattern: str, days: list[date], language: Language) -> str:
    names = [format_date(day, pattern, locale=language) for day in days]
    lines = "".join(f'        "{name}",\n' for name in names)
    return f'    "{language}": (\n{lines}    ),\n'


def written() -> str:
    """The module's text."""
    months = [date(2026, month, 1) for month in range(1, 13)]
    weekdays = [date(2026, 6, day) for day in range(1, 8)]
    parts = [HEAD, "\nWEEKDAYS: Final[Mapping[Language, tuple[str, ...]]] = {\n"]
    parts += [_names("EEEE", weekdays, language) for language in LANGUAGES]
    parts += ["}\nMONTHS: Final[Mapping[Language, tuple[str, ...]]] = {\n"]
    parts += [_names("MMMM", months, language) for language in LANGUAGES]
    parts += ["}\nMARKS: Final[Mapping[Language, tuple[str, str]]] = {\n"]
    for language in LANGUAGES:
        said = format_decimal(Decimal("12345.5"), locale=language)
        parts += [f'    "{language}": ({ascii(said[2]).replace(chr(39), chr(34))}, "{said[-2]}"),\n']
    parts += ['}\n"""Between thousands, and before a fraction."""\n']
    return "".join(parts)


def test_the_names_and_marks_are_those_of_cldr() -> None:
    assert MODULE.read_text("utf-8") == written(), "run `make texts`"


@pytest.mark.parametrize(
    ("language", "day", "amount"),
    [
        ("en", "Sunday, 1 November 2026", "12,345.50 EUR"),
        ("de", "Sonntag, 1. November 2026", "12.345,50 EUR"),
        ("fr", "dimanche 1er novembre 2026", "12\u202f345,50 EUR"),
        ("es", "domingo, 1 de noviembre de 2026", "12.345,50 EUR"),
    ],
)
def test_a_day_and_a_sum_are_said_as_the_language_writes_them(
    language: Language, day: str, amount: str
) -> None:
    assert day_text(date(2026, 11, 1), language) == day
    assert amount_text(Decimal("12345.5"), "EUR", language) == amount


if __name__ == "__main__":
    MODULE.write_text(written(), "utf-8")
