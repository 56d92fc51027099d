"""Authorization of an authenticated caller: pure decisions over `Caller` (D1, D3, CNX-16.1, MSG-13.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from butler_kit.auth.caller import Caller, ConnectorBinding, Role
from butler_kit.auth.errors import Forbidden

__all__ = ["TIER_ORDER", "authorize_connector", "clamp_tier", "require_role", "trusted_caller"]

TIER_ORDER: Final = ("default", "interactive", "high_priority")
"""Policy tiers from the least to the most urgent (CNX-02.5, SWB-07)."""


def authorize_connector(caller: Caller, connector_type: str, endpoint_identity: str) -> ConnectorBinding:
    """Check that a connector speaks for its own source; return its binding.

    Raises `Forbidden` naming the bound and the claimed identity.
    """
    binding = caller.connector
    if caller.role is not Role.CONNECTOR or binding is None:
        raise Forbidden(f"'{caller.subject}' ({caller.role}) is not a connector and submits for no source")
    if (binding.connector_type, binding.endpoint_identity) != (connector_type, endpoint_identity):
        raise Forbidden(
            f"'{caller.subject}' is bound to {binding.connector_type} '{binding.endpoint_identity}', "
            f"not to {connector_type} '{endpoint_identity}'"
        )
    return binding


def clamp_tier(caller: Caller, tier: str) -> tuple[str, bool]:
    """Lower `tier` to what the caller's binding allows; the second value says whether it was lowered."""
    limit = caller.connector.max_tier if caller.connector is not None else TIER_ORDER[-1]
    if TIER_ORDER.index(tier) <= TIER_ORDER.index(limit):
        return tier, False
    return limit, True


def trusted_caller(caller: Caller, trusted: Sequence[str]) -> None:
    """Refuse a `route.execute` whose authenticated subject is not in `trusted` (MSG-13.1)."""
    if caller.subject not in trusted:
        raise Forbidden(
            f"caller '{caller.subject}' is not in trusted_route_callers; "
            "add it to [butler.security] of this butler if it may route"
        )


def require_role(caller: Caller, *roles: Role) -> None:
    """Refuse a caller whose role is not one of `roles`."""
    if caller.role not in roles:
        raise Forbidden(f"'{caller.subject}' is a {caller.role}; this needs {' or '.join(roles)}")
