"""Examples for newcomers: messages that the product's five profiles understand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from butler_specialist.locale import noop

__all__ = ["ABILITIES", "Ability"]


@dataclass(frozen=True, slots=True)
class Ability:
    """A message that `profile` understands; its translation is one too."""

    profile: str
    example: str


ABILITIES: Final = (
    Ability("finance", noop("Spent 23.40 EUR at Lidl")),
    Ability("general", noop("Add milk and bread to the shopping list")),
    Ability("health", noop("Blood pressure 128/82")),
    Ability("relationship", noop("Clara's birthday is on 17 January")),
    Ability("travel", noop("Train from Berlin to Hamburg on 12 March at 9:05")),
    Ability("general", noop("What is on the shopping list?")),
)
