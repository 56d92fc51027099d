"""The caller, as a verified token states it; nothing in an envelope can change it (D1, D3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

__all__ = ["Caller", "ConnectorBinding", "Role"]


class Role(StrEnum):
    """The role of a caller; tools and paths are granted by role."""

    SWITCHBOARD = "switchboard"
    BUTLER = "butler"
    CONNECTOR = "connector"
    OPERATOR = "operator"
    DASHBOARD = "dashboard"


@dataclass(frozen=True, slots=True)
class ConnectorBinding:
    """The one source a connector's token speaks for, and the highest policy tier it may ask for (D3)."""

    connector_type: str
    endpoint_identity: str
    max_tier: str


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated caller.

    `subject` is the token's `sub`, what `trusted_route_callers` is compared with (D1). `name` is a butler's
    own name, `connector` a connector's binding, `origin` the butler on whose behalf Switchboard calls (D19),
    `session` the running session a `route_to_butler` token belongs to. `expires_at` is aware UTC.
    """

    subject: str
    role: Role
    name: str | None
    connector: ConnectorBinding | None
    origin: str | None
    token_id: str
    expires_at: datetime
    session: str | None = None
