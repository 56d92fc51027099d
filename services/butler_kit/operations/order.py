"""PURE: an operator's order, its idempotency key, and who is believed to have requested it (D4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel
from butler_contracts.errors import Conflict, ValidationFailed
from butler_contracts.text import STORABLE
from butler_kit.auth import Caller, Role

__all__ = ["ActBody", "Order", "Refused", "key_of", "order_by"]

HEADER: Final = "Idempotency-Key"
_KEY: Final = re.compile(r"[!-~]{1,200}")
_SPEAKING: Final = (Role.OPERATOR, Role.SWITCHBOARD)

Why = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S"), STORABLE]
Who = Annotated[str, Field(min_length=1, max_length=253), STORABLE]


class Refused(Conflict):
    """The target does not allow the action, now or later: the refusal is kept and audited."""


class ActBody(StrictModel):
    """Why, and for whom: what every action is asked with.

    `requested_by` is believed from an operator, and from Switchboard, which passes the orders of operators on.
    """

    reason: Why
    requested_by: Who | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """One requested action. `actor` is authenticated; `requested_by` is the person it vouches for."""

    uid: str
    action: str
    target: str
    reason: str
    actor: str
    requested_by: str | None = None
    params: dict[str, Any] = field(default_factory=dict)

    @property
    def who(self) -> str:
        """Whose action it is."""
        return self.requested_by or self.actor

    def body(self) -> tuple[object, ...]:
        """Return what a repetition has to have in common with the first order."""
        return self.action, self.target, self.reason, self.requested_by, self.params


def key_of(given: str | None, *, otherwise: UUID) -> str:
    """Return the value of `Idempotency-Key`, or `otherwise` for an action that will not be repeated."""
    if given is None:
        return str(otherwise)
    if _KEY.fullmatch(given) is None:
        raise ValidationFailed(f"{HEADER}: expected 1 to 200 visible ASCII characters, such as a UUID")
    return given


def order_by(
    caller: Caller,
    *,
    uid: str,
    action: str,
    target: str,
    body: ActBody,
    params: Mapping[str, Any] | None = None,
) -> Order:
    """Return the order that `caller` gives; only an operator and Switchboard may speak for somebody else."""
    vouched = body.requested_by if caller.role in _SPEAKING else None
    return Order(uid, action, target, body.reason, caller.subject, vouched, dict(params or {}))
