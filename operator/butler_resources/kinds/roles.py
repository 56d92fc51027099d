"""Which role of `Butler` has which block and field.

Invariant: what belongs to one role is refused on any other, so that a setting never has no effect (D76).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pydantic.alias_generators import to_camel

from butler_resources.kinds.rules import Rule

__all__ = ["role_rules"]

ONLY_FOR: Final = {
    "profile": "specialist",
    "instructions": "specialist",
    "instructions_from": "specialist",
    "tools": "specialist",
    "triggers": "specialist",
    "required_information": "specialist",
    "arbitration_priority": "specialist",
    "privacy": "specialist",
    "household": "switchboard",
    "routing": "switchboard",
    "dispatch": "switchboard",
    "retention": "switchboard",
    "rollups": "switchboard",
    "delivery": "messenger",
    "contacts_from": "messenger",
}
ONLY_FOR_IN_BUFFER: Final = {
    "worker_count": "switchboard",
    "overflow": "switchboard",
    "tiers": "switchboard",
    "work_capacity": "specialist",
}
"""A specialist works on as many messages at once as it has sessions, Messenger on `delivery.workerCount`."""
ONLY_FOR_IN_MODULES: Final = {
    "telegram": "messenger",
    "email": "messenger",
    "approvals": "messenger",
    "memory": "specialist",
}
_NO_CALLERS: Final = Rule(
    cel="self.role != 'switchboard' || !has(self.trustedCallers)",
    message="nobody hands work to the switchboard by route.execute; remove `trustedCallers`",
    holds=lambda spec: spec.role != "switchboard" or spec.trusted_callers is None,
    path=".trustedCallers",
)
LISTS: Final = ("tools", "triggers", "required_information")


def role_rules() -> Iterator[Rule]:
    """The rules of `ButlerSpec` about roles."""
    for field, role in ONLY_FOR.items():
        yield _only_for(field, role)
    for field, role in ONLY_FOR_IN_BUFFER.items():
        yield _only_for_in("buffer", field, role)
    for field, role in ONLY_FOR_IN_MODULES.items():
        yield _only_for_in("modules", field, role)
    yield _NO_CALLERS


def _only_for(field: str, role: str) -> Rule:
    name = to_camel(field)
    given = f"has(self.{name})"
    if field in LISTS:
        given += f" && size(self.{name}) > 0"
    return Rule(
        cel=f"self.role == '{role}' || !({given})",
        message=f"`{name}` belongs to role {role}; remove it or change `role`",
        holds=lambda spec: spec.role == role or getattr(spec, field) in (None, ()),
        path=f".{name}",
    )


def _only_for_in(block: str, field: str, role: str) -> Rule:
    name = to_camel(field)
    return Rule(
        cel=f"self.role == '{role}' || !has(self.{block}) || !has(self.{block}.{name})",
        message=f"`{block}.{name}` belongs to role {role}; remove it",
        holds=lambda spec: (
            spec.role == role or (given := getattr(spec, block)) is None or getattr(given, field) is None
        ),
        path=f".{block}",
    )
