"""Which role of `Butler` has which block and field.

Invariant: what belongs to one role is refused on any other, so that a setting never has no effect (D76).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pydantic.alias_generators import to_camel

from butler_resources.kinds.modules import OF_THE_ACCOUNT
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
    "slo": "switchboard",
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
    "attachments": "messenger",
    "memory": "specialist",
}
_CALENDAR_OF_SWITCHBOARD: Final = Rule(
    cel="self.role != 'switchboard' || !has(self.modules) || !has(self.modules.calendar)",
    message="switchboard has no calendar; remove `modules.calendar` and set the account on the messenger",
    holds=lambda spec: spec.role != "switchboard" or spec.modules is None or spec.modules.calendar is None,
    path=".modules",
)
_CALENDAR_ACCOUNT: Final = Rule(
    cel="self.role == 'messenger' || !has(self.modules) || !has(self.modules.calendar) || !("
    + " || ".join(f"has(self.modules.calendar.{to_camel(name)})" for name in OF_THE_ACCOUNT)
    + ")",
    message="the calendar account belongs to role messenger; on a specialist use `modules.calendar: {}`, at most with "
    "`appointmentMinutes`",
    holds=lambda spec: (
        spec.role == "messenger"
        or spec.modules is None
        or spec.modules.calendar is None
        or not spec.modules.calendar.names_an_account
    ),
    path=".modules",
)
_CALENDAR_MINUTES: Final = Rule(
    cel="self.role != 'messenger' || !has(self.modules) || !has(self.modules.calendar) "
    "|| !has(self.modules.calendar.appointmentMinutes)",
    message="`modules.calendar.appointmentMinutes` belongs to role specialist; remove it",
    holds=lambda spec: (
        spec.role != "messenger"
        or spec.modules is None
        or spec.modules.calendar is None
        or spec.modules.calendar.appointment_minutes is None
    ),
    path=".modules",
)
_CALENDAR_NAME: Final = Rule(
    cel="!has(self.tools) || !has(self.modules) || !has(self.modules.calendar) "
    "|| !self.tools.exists(server, server.name == 'calendar')",
    message="the name calendar is reserved for the tools of `modules.calendar`; give the server in `tools` another "
    "name",
    holds=lambda spec: (
        spec.modules is None
        or spec.modules.calendar is None
        or all(server.name != "calendar" for server in spec.tools)
    ),
    path=".tools",
)
_NO_CALLERS: Final = Rule(
    cel="self.role != 'switchboard' || !has(self.trustedCallers)",
    message="switchboard accepts no work by route.execute; remove `trustedCallers`",
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
    yield from (
        _CALENDAR_OF_SWITCHBOARD,
        _CALENDAR_ACCOUNT,
        _CALENDAR_MINUTES,
        _CALENDAR_NAME,
        _NO_CALLERS,
    )


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
