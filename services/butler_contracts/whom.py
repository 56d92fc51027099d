"""Whom a butler works for when nobody wrote: Switchboard is asked for a member by name, or for the owner (ADR 0097)."""

from __future__ import annotations

from typing import Final

from butler_contracts.base import StrictModel, TolerantModel
from butler_contracts.people import PeopleV1
from butler_contracts.text import Identity

__all__ = ["WHOM_TOOL", "WhomAsked", "WhomTold"]

WHOM_TOOL: Final = "people.whom"


class WhomAsked(StrictModel):
    """A member of the household as the contacts name them; None is the owner."""

    name: Identity | None = None


class WhomTold(TolerantModel):
    """The household's people, their `sender` who was asked for; None where nobody is called so."""

    people: PeopleV1 | None = None
