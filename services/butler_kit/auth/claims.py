"""Checks of a signed token's claims: role, issuer's authority, binding, lifetime (D1-D3). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final

from butler_kit.auth.authorize import TIER_ORDER
from butler_kit.auth.caller import Caller, ConnectorBinding, Role
from butler_kit.auth.errors import Unauthenticated
from butler_kit.auth.jwks import ISSUER_SWITCHBOARD

__all__ = [
    "MAX_LIFETIME_S",
    "MAX_STATIC_LIFETIME_S",
    "STATIC_LIFETIMES_S",
    "WARN_AT_SHARE",
    "caller_from_claims",
    "check_seconds",
    "check_times",
    "text_claim",
    "warns_of_expiry",
]

MAX_LIFETIME_S: Final[Mapping[Role, int]] = MappingProxyType(
    {
        Role.SWITCHBOARD: 60,
        Role.BUTLER: 3600,
        Role.CONNECTOR: 3600,
        Role.OPERATOR: 3600,
        Role.DASHBOARD: 3600,
    }
)
"""Longest life of a renewed token (D2)."""
STATIC_LIFETIMES_S: Final[Mapping[str, int]] = MappingProxyType(
    {"production": 90 * 86_400, "development": 7 * 86_400}
)
"""How long a static token lives, by environment (CNX-16.2, D81)."""
MAX_STATIC_LIFETIME_S: Final = STATIC_LIFETIMES_S["production"]
"""Longest life of a token with `expires_at`, which nobody renews (CNX-16.2)."""
WARN_AT_SHARE: Final = 0.8
"""The share of a static token's life after which its use is warned about (D2)."""
_SWITCHBOARD_SUBJECT: Final = "switchboard"


def caller_from_claims(claims: Mapping[str, Any], issuer: str) -> Caller:
    """Build the caller a signed token describes; `Unauthenticated` when it claims what it may not."""
    role = _role(claims)
    subject = text_claim(claims, "sub")
    _check_authority(role, subject, issuer)
    _check_lifetime(claims, role)
    return Caller(
        subject=subject,
        role=role,
        name=text_claim(claims, "name") if role is Role.BUTLER else _optional_text(claims, "name"),
        connector=_binding(claims) if role is Role.CONNECTOR else None,
        origin=_optional_text(claims, "origin"),
        token_id=text_claim(claims, "jti"),
        expires_at=datetime.fromtimestamp(claims["exp"], UTC),
        session=_optional_text(claims, "session"),
    )


def check_times(claims: Mapping[str, Any], now: datetime, *, leeway_s: int) -> None:
    """Check `exp`, `nbf`, `iat` of settled claims against `now`."""
    moment = now.timestamp()
    if claims["exp"] <= moment - leeway_s:
        ended = datetime.fromtimestamp(claims["exp"], UTC).isoformat()
        raise Unauthenticated(f"the token of '{claims['sub']}' expired at {ended}; renew it")
    if max(claims["nbf"], claims["iat"]) > moment + leeway_s:
        raise Unauthenticated(f"the token of '{claims['sub']}' is not valid yet; compare the clocks")


def check_seconds(claims: Mapping[str, Any]) -> None:
    """Check that `iat`, `nbf`, `exp` are whole seconds that a date can show."""
    for name in ("iat", "nbf", "exp"):
        if isinstance(claims[name], bool) or not isinstance(claims[name], int):
            raise Unauthenticated(f"the token's {name} is not a whole number of seconds")
        if not 0 <= claims[name] < 253_402_300_800:  # the year 10000
            raise Unauthenticated(f"the token's {name} is out of range")


def text_claim(claims: Mapping[str, Any], name: str) -> str:
    """Return a claim that must be non-empty text. Raises `Unauthenticated`."""
    value = claims.get(name)
    if not isinstance(value, str) or not value.strip():
        raise Unauthenticated(f"the token's claim '{name}' is missing or empty")
    return value


def warns_of_expiry(claims: Mapping[str, Any], now: datetime) -> bool:
    """Say whether a static token is past 80 % of its life and should be replaced."""
    if "expires_at" not in claims:
        return False
    return bool(now.timestamp() >= claims["iat"] + WARN_AT_SHARE * (claims["exp"] - claims["iat"]))


def _role(claims: Mapping[str, Any]) -> Role:
    try:
        return Role(str(claims.get("role")))
    except ValueError:
        raise Unauthenticated(f"the token's role is not one of {', '.join(Role)}") from None


def _check_authority(role: Role, subject: str, issuer: str) -> None:
    speaks_as_switchboard = role is Role.SWITCHBOARD and subject == _SWITCHBOARD_SUBJECT
    if issuer == ISSUER_SWITCHBOARD and not speaks_as_switchboard:
        raise Unauthenticated("Switchboard's key vouches for the subject 'switchboard' only")
    if (role is Role.SWITCHBOARD) != (subject == _SWITCHBOARD_SUBJECT):
        raise Unauthenticated("the subject 'switchboard' and the role 'switchboard' belong together")


def _check_lifetime(claims: Mapping[str, Any], role: Role) -> None:
    check_seconds(claims)
    static = "expires_at" in claims
    if static and claims["expires_at"] != claims["exp"]:
        raise Unauthenticated("the token's expires_at is not its exp")
    if static and role is Role.SWITCHBOARD:
        raise Unauthenticated("Switchboard's tokens are never static")
    limit = MAX_STATIC_LIFETIME_S if static else MAX_LIFETIME_S[role]
    if claims["exp"] - claims["iat"] > limit:
        raise Unauthenticated(f"the token lives longer than the {limit} s allowed to a {role}")


def _binding(claims: Mapping[str, Any]) -> ConnectorBinding:
    binding = claims.get("connector")
    if not isinstance(binding, Mapping):
        raise Unauthenticated("a connector's token needs the claim 'connector'")
    tier = text_claim(binding, "max_tier")
    if tier not in TIER_ORDER:
        raise Unauthenticated(f"the token's max_tier is not one of {', '.join(TIER_ORDER)}")
    return ConnectorBinding(text_claim(binding, "type"), text_claim(binding, "endpoint_identity"), tier)


def _optional_text(claims: Mapping[str, Any], name: str) -> str | None:
    return text_claim(claims, name) if name in claims else None
