"""Defaults for what a butler's file leaves out: ports, schemas and session limits by role and profile.

SWB-24.1 (Switchboard on 40100, three sessions), MSR-01.1 and D46 (Messenger on 40104, three sessions),
CON-4.2 (everyone else one session).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

__all__ = ["PROFILE_PORTS", "ROLE_DEFAULTS", "with_role_defaults"]

PROFILE_PORTS: Final[Mapping[str, int]] = MappingProxyType(
    {"general": 40101, "relationship": 40102, "health": 40103, "finance": 40105, "travel": 40106}
)

ROLE_DEFAULTS: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = MappingProxyType(
    {
        "switchboard": {
            "butler": {
                "name": "switchboard",
                "port": 40100,
                "schema": "switchboard",
                "description": "Ingress, routing and dispatch plane",
            },
            "runtime": {"max_concurrent_sessions": 3},
        },
        "messenger": {
            "butler": {
                "name": "messenger",
                "port": 40104,
                "schema": "messenger",
                "description": "Outbound delivery execution plane for Telegram and Email",
            },
            "runtime": {"max_concurrent_sessions": 3},
        },
    }
)


def with_role_defaults(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables with what `[butler] role` (and, for a specialist, `profile`) implies filled in."""
    butler = data.get("butler")
    if not isinstance(butler, Mapping):
        return dict(data)
    defaults = _defaults_for(butler)
    filled = dict(data)
    for table, values in defaults.items():
        given = data.get(table, {})
        filled[table] = {**values, **given} if isinstance(given, Mapping) else given
    return filled


def _defaults_for(butler: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    role, profile = butler.get("role"), butler.get("profile")
    if role == "specialist" and isinstance(profile, str) and profile in PROFILE_PORTS:
        name = butler.get("name", profile)
        return {
            "butler": {
                "name": name,
                "port": PROFILE_PORTS[profile],
                "schema": name.replace("-", "_") if isinstance(name, str) else name,
                "description": f"Specialist for {profile} matters",
            }
        }
    return ROLE_DEFAULTS.get(role, {}) if isinstance(role, str) else {}
