"""PURE: how much is known of each person, counted (ADR 0116)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from butler_contracts.memory import KnownOf

__all__ = ["counted"]


def counted(rows: Iterable[Mapping[str, Any]]) -> tuple[KnownOf, ...]:
    """Return one count for each contact, in their order; addresses that are nobody's contact are left out."""
    found: dict[UUID, KnownOf] = {}
    for row in rows:
        person = _contact(row["person"])
        if person is not None:
            one = KnownOf.model_validate({**row, "person": person})
            found[person] = _together(found[person], one) if person in found else one
    return tuple(found[person] for person in sorted(found, key=str))


def _together(one: KnownOf, other: KnownOf) -> KnownOf:
    return KnownOf(
        person=one.person,
        facts=one.facts + other.facts,
        preferences=one.preferences + other.preferences,
        episodes=one.episodes + other.episodes,
        since=min(one.since, other.since),
    )


def _contact(person: str) -> UUID | None:
    return None if ":" in person else UUID(person)
