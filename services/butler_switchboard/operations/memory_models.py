"""PURE: what butlers know of people, as operators see it: how much, and never what (ADR 0116)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from butler_contracts.base import StrictModel
from butler_contracts.memory import KnownOf
from butler_switchboard.operations.dead_letter_models import Operated
from butler_switchboard.operations.view import View

__all__ = [
    "ForgottenBy",
    "ForgottenView",
    "KnownOfView",
    "KnownView",
    "MemoryQuestion",
    "known_view",
    "said_of_forgetting",
]


class MemoryQuestion(StrictModel):
    """Of whom; without a person of everybody."""

    person: UUID | None = None


class KnownOfView(View):
    """How much a butler knows of a person; `name` None: the contact is gone."""

    person: UUID
    name: str | None
    butler: str
    facts: int
    preferences: int
    episodes: int
    since: datetime


class KnownView(View):
    """How much is known, by person and butler; `silent` butlers remember too, and could not be asked."""

    known: list[KnownOfView]
    silent: list[str]


class ForgottenBy(View):
    """How many things a butler knew, and knows no longer."""

    butler: str
    things: int


class ForgottenView(Operated):
    """A person whom all that remember have forgotten."""

    person: UUID
    name: str | None
    forgotten: list[ForgottenBy]


def known_view(
    told: Mapping[str, Sequence[KnownOf] | None], names: Mapping[UUID, str], person: UUID | None
) -> KnownView:
    """Return what butlers `told`, None by those that were silent; of `person` alone, if one is asked about."""
    known = [
        KnownOfView(name=names.get(one.person), butler=butler, **one.model_dump())
        for butler, people in told.items()
        for one in people or ()
        if person in (None, one.person)
    ]
    known.sort(key=lambda one: (one.name is None, one.name or str(one.person), one.butler))
    return KnownView(known=known, silent=[butler for butler, people in told.items() if people is None])


def said_of_forgetting(forgotten: Sequence[ForgottenBy]) -> str:
    """Return the line for the audit."""
    told = ", ".join(f"{one.butler} ({one.things})" for one in forgotten)
    return f"all that was known of the person is forgotten: {told}"
