"""Butlers that are gone: what becomes of their part of the database, done by the next pod of their Switchboard.

Invariant: it never keeps Switchboard from starting; what could not be done is tried again with its next pod.
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
        """As the database knows it."""
        schema = schema_named(self.butler)
        role = role_of(schema)
        return Retiree(schema, role, stand_in_of(role), mark_of(self.uid), self.drop)


def departed(text: str, *, drop: bool) -> Departed:
    """`NAME=UID`, as the command line has it. Raises `ValidationFailed`."""
    name, equals, uid = text.partition("=")
    if not (name and equals and uid):
        raise ValidationFailed(f"{text!r} is not NAME=UID of a butler")
    return Departed(name, uid, drop)


async def retire_departed(
    gone: Sequence[Departed], admin: AdminUrl, *, tell: Callable[[str], None]
) -> Mapping[str, list[str]]:
    """`NAME=UID` by outcome; nothing when the database would not have it, of which `tell` gets a line."""
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
