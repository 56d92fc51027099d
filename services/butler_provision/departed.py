"""Retirement of the database parts of butlers that are gone, by the next pod of their Switchboard.

Invariant: it never keeps Switchboard from starting; what could not be done is retried by the next pod.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from butler_contracts.errors import ValidationFailed
from butler_kit.db import Retiree, retire
from butler_kit.db.faults import DRIVER_ERRORS
from butler_provision.plans import mark_of, role_of, schema_named, stand_in_of
from butler_provision.urls import AdminUrl

__all__ = ["Departed", "departed", "retire_departed"]


@dataclass(frozen=True, slots=True)
class Departed:
    """A resource that was deleted; `drop`: its data goes too."""

    butler: str
    uid: str
    drop: bool = False

    @property
    def retiree(self) -> Retiree:
        """The butler's schema, role and mark in the database."""
        schema = schema_named(self.butler)
        role = role_of(schema)
        return Retiree(schema, role, stand_in_of(role), mark_of(self.uid), self.drop)


def departed(text: str, *, drop: bool) -> Departed:
    """Parse `NAME=UID` from the command line. Raises `ValidationFailed`."""
    name, equals, uid = text.partition("=")
    if not (name and equals and uid):
        raise ValidationFailed(f"{text!r} is not NAME=UID of a butler")
    return Departed(name, uid, drop)


async def retire_departed(
    gone: Sequence[Departed], admin: AdminUrl, *, tell: Callable[[str], None]
) -> Mapping[str, list[str]]:
    """Retire them; return `NAME=UID` by outcome, nothing if the database fails, which `tell` reports."""
    told: dict[str, list[str]] = {}
    if not gone:
        return told
    try:
        outcomes = await retire(admin.text, [one.retiree for one in gone])
    except DRIVER_ERRORS as error:
        tell(f"butlers that are gone keep their logins for now: {type(error).__name__}: {error}")
        return told
    for one, outcome in zip(gone, outcomes, strict=True):
        told.setdefault(outcome.value, []).append(f"{one.butler}={one.uid}")
        tell(f"{one.butler} is gone, its part of the database is {outcome.value}")
    return told
