"""Finds medicines in a text, as it spells them (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from butler_kit.wording.folding import fold
from butler_kit.wording.medicines import medicine_names
from butler_specialist.understanding.kept import kept
from butler_specialist.understanding.money import number_of

__all__ = ["Medicine", "medicines_in"]


@dataclass(frozen=True, slots=True)
class Medicine:
    """A name in a text, with the bare number after it: "Ibuprofen 400"."""

    name: str
    amount: Decimal | None
    start: int
    end: int


@kept
def medicines_in(text: str) -> tuple[Medicine, ...]:
    """Return the medicines in order."""
    return tuple(
        Medicine(
            text[match.start("name") : match.end("name")],
            number_of(match["v"]) if match["v"] else None,
            *match.span(),
        )
        for match in medicine_names(fold(text))
    )
