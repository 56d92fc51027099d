"""Defaults of a role or a profile for what a manifest leaves open: port, description, triggers, capabilities.

The triggers are the routing subjects of SWB-09.2; ports are those of the architecture (SWB-24.1, MSR-01.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from butler_resources.kinds import Butler, Connector, Household
from butler_resources.kinds.household import UTC

__all__ = [
    "BASE_PORT",
    "Defaults",
    "capabilities_of",
    "default_port",
    "defaults_of",
    "schema_of",
    "source_of",
    "triggers_of",
]

BASE_PORT: Final = 40100
FIRST_CONNECTOR_PORT: Final = BASE_PORT + 20
"""Health ports of connectors, in the order of the manifests; a webhook listens 20 above its own."""


@dataclass(frozen=True)
class Defaults:
    """Defaults for what a manifest may leave out."""

    port: int
    description: str
    triggers: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()


_BY_ROLE: Final[Mapping[str, Defaults]] = MappingProxyType(
    {
        "switchboard": Defaults(BASE_PORT, "Ingress, routing and dispatch plane"),
        "messenger": Defaults(40104, "Outbound delivery execution plane for Telegram and Email"),
    }
)
_BY_PROFILE: Final[Mapping[str, Defaults]] = MappingProxyType(
    {
        "general": Defaults(40101, "Catch-all for what no other butler takes", ("catch-all",), ("records",)),
        "relationship": Defaults(
            40102,
            "Contacts, interactions, reminders and gifts",
            ("contacts", "interactions", "reminders", "gifts"),
            ("records",),
        ),
        "health": Defaults(
            40103,
            "Medications, measurements, conditions, symptoms and diet",
            ("medications", "measurements", "conditions", "symptoms", "diet"),
            ("records",),
        ),
        "finance": Defaults(
            40105,
            "Receipts, invoices, bills and subscriptions",
            ("receipts", "invoices", "bills", "subscriptions"),
            ("records",),
        ),
        "travel": Defaults(
            40106,
            "Flight bookings, hotel reservations and itineraries",
            ("flight bookings", "hotel reservations", "itineraries"),
            ("records",),
        ),
    }
)
_OF_ITS_OWN: Final = Defaults(40107, "What its triggers say", (), ("records",))
"""The defaults of a specialist without a profile."""
_SOURCES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "telegram_bot": ("telegram", "telegram"),
        "imap": ("imap", "email"),
        "webhook": ("internal", "api"),
    }
)


def defaults_of(butler: Butler) -> Defaults:
    """The defaults of the butler's role, or of its profile when it is a specialist."""
    profile = butler.spec.profile
    if profile is not None:
        return _BY_PROFILE[profile]
    return _BY_ROLE.get(butler.spec.role, _OF_ITS_OWN)


def description_of(butler: Butler) -> str:
    """Return what the butler is for, in a sentence."""
    return butler.spec.description or defaults_of(butler).description


def timezone_of(butler: Butler, household: Household) -> str:
    """The butler's time zone, else that of its household (D83)."""
    return butler.spec.timezone or household.timezone or UTC


def triggers_of(butler: Butler) -> tuple[str, ...]:
    """Return the subjects of messages that go to this butler."""
    return butler.spec.triggers or defaults_of(butler).triggers


def capabilities_of(butler: Butler) -> tuple[str, ...]:
    """Return what the butler can do."""
    return butler.spec.capabilities or defaults_of(butler).capabilities


def default_port(butler: Butler) -> int:
    """The manifest's port, else that of the role or profile."""
    return butler.spec.port or defaults_of(butler).port


def schema_of(butler: Butler) -> str:
    """The butler's schema in the database; its role there is `butler_<schema>` (D51)."""
    return butler.name.replace("-", "_")


def source_of(connector: Connector) -> tuple[str, str]:
    """The provider and channel that the connector's type stands for (CNX-02.3)."""
    return _SOURCES[connector.spec.type]
