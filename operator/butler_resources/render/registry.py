"""Request bodies for Switchboard's registry: declarations, bindings, evidence; the same in both places.

The place only reports; Switchboard decides (D3, D30). A butler's own registration fills in what is empty here.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from butler_resources.kinds import Butler, Connector

__all__ = ["binding_of", "declaration_of", "evidence_of"]


def declaration_of(
    butler: Butler, *, endpoint: str, now: datetime, subject: str | None = None
) -> dict[str, Any]:
    """Return the body of `PUT /ops/v1/butlers/{name}`; `subject` is that of the butler's cluster tokens."""
    hold = butler.spec.eligibility.quarantine
    in_force = hold is not None and hold.holds(now)
    body: dict[str, Any] = {
        "endpoint": endpoint,
        "role": butler.spec.role,
        "description": butler.spec.description or "",
        "triggers": list(butler.spec.triggers),
        "capabilities": list(butler.spec.capabilities),
        "required_information": list(butler.spec.required_information),
        "manifest_hold": {
            "reason": hold.reason,
            "until": None if hold.until is None else hold.until.isoformat(),
        }
        if hold is not None and in_force
        else None,
    }
    modules = butler.spec.modules
    mailbox = (
        modules.email.bot.mailbox_identity if modules is not None and modules.email is not None else None
    )
    # Only if set: a Switchboard older than its operator knows neither mailbox nor priority.
    more = {
        "mailbox": mailbox,
        "subject": subject,
        "arbitration_priority": butler.spec.arbitration_priority or None,
    }
    return body | {name: value for name, value in more.items() if value is not None}


def binding_of(connector: Connector, *, subject: str) -> dict[str, Any]:
    """Return the body of `PUT /ops/v1/connectors/{connector_type}/{endpoint_identity}`."""
    return {"subject": subject, "max_tier": connector.spec.max_tier}


def evidence_of(
    name: str, *, ready: bool, restarts: int, crash_loop: bool, observed_at: datetime
) -> dict[str, Any]:
    """Return the body of `POST /ops/v1/evidence`: the observed state of a butler's processes."""
    return {
        "butler": name,
        "ready": ready,
        "restarts": restarts,
        "crash_loop": crash_loop,
        "observed_at": observed_at.isoformat(),
    }
